#include "encoding_text.hpp"

#include <fmt/format.h>

namespace evname::tools {
namespace {

std::string without_period(std::string_view terms) {
  std::string out;
  while (!terms.empty()) {
    const auto comma = terms.find(',');
    const std::string_view term = terms.substr(0, comma);
    terms = comma == std::string_view::npos ? "" : terms.substr(comma + 1);
    if (term.starts_with("period=")) continue;
    if (!out.empty()) out += ',';
    out += term;
  }
  return out;
}

}  // namespace

std::string perf_spelling(const Encoding& e) {
  if (e.source == Source::table || e.source == Source::sysfs)
    return fmt::format("{}/{}/{}", e.pmu, without_period(e.terms()), e.modifiers);
  if (e.modifiers.empty()) return std::string(e.name);
  return fmt::format("{}{}{}", e.name, e.name.ends_with('/') ? "" : ":", e.modifiers);
}

std::string config_words(const Encoding& e) {
  std::string out = fmt::format("config={:#x}", e.code.config[0]);
  for (std::size_t i = 1; i < EVNAME_CONFIG_WORDS; ++i)
    if (e.code.config[i]) out += fmt::format(",config{}={:#x}", i, e.code.config[i]);
  return out;
}

}  // namespace evname::tools
