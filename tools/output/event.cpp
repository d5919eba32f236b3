#include "output/event.hpp"
#include "base/enum_table.hpp"

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

std::string with_modifiers(std::string_view event, std::string_view modifiers) {
  const bool colon = !modifiers.empty() && !event.ends_with('/');
  return fmt::format("{}{}{}", event, colon ? ":" : "", modifiers);
}

}  // namespace

std::string full_name(const Encoding& e) {
  return e.has_given_name() ? std::string(e.name) : with_modifiers(e.name, e.modifiers);
}

std::string perf_spelling(const Encoding& e) {
  if (e.source == Source::table || e.source == Source::sysfs)
    return fmt::format("{}/{}/{}", e.pmu, without_period(e.terms()), e.modifiers);
  return with_modifiers(e.text(), e.modifiers);
}

std::string config_words(const Encoding& e) {
  if (!e.has_config()) return "config=?";
  std::string out = fmt::format("config={:#x}", e.code.config[0]);
  for (std::size_t i = 1; i < EVNAME_CONFIG_WORDS; ++i)
    if (e.code.config[i]) out += fmt::format(",config{}={:#x}", i, e.code.config[i]);
  return out;
}

std::string_view word_of(EventInfo::Precision precise) {
  using enum EventInfo::Precision;
  constexpr auto kWords = enum_values<EventInfo::Precision>(
      {{unknown, ""}, {possible, "possible"}, {required, "required"}});
  return kWords[precise].value;
}

std::string code_words(const Encoding& e) {
  return fmt::format("type={} {}", e.code.has_type ? fmt::format("{}", e.code.type) : "?",
                     config_words(e));
}

void print_event_json(const EventInfo& event, bool long_desc, const Encoding* code) {
  JsonLine line;
  line.text("name", event.name).text("pmu", event.pmu).text("topic", event.topic);
  line.text("terms", event.terms).text("desc", event.desc).real("scale", event.scale);
  line.text("unit", event.unit).boolean("per_pkg", event.per_pkg);
  line.boolean("deprecated", event.deprecated).text("model", event.model);
  line.text("precise", word_of(event.precise)).boolean("precise_address", event.precise_address);
  line.text("errata", event.errata);
  if (!event.directory.empty()) line.text("directory", event.directory);
  if (long_desc) line.text("long_desc", event.long_desc);
  if (code == nullptr) return;
  line.text("event", full_name(*code)).text("instance", code->pmu);
  add_code(line, *code);
}

void add_code(JsonLine& line, const Encoding& e) {
  if (e.code.has_type)
    line.number("type", e.code.type);
  else
    line.null("type");
  if (e.has_config())
    line.words(e.code);
  else
    line.null("config");
}

}  // namespace evname::tools
