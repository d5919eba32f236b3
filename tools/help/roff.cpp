#include "help/roff.hpp"

#include <fmt/format.h>

#include <utility>

#include "text.hpp"

namespace evname::tools {
namespace {

/// What roff would change, and how it is kept: groff_char(7).
constexpr std::pair<std::string_view, std::string_view> kKept[] = {
    {"\\", "\\[rs]"}, {"-", "\\-"},    {"'", "\\[aq]"}, {"\"", "\\[dq]"},
    {"^", "\\[ha]"},  {"~", "\\[ti]"}, {"`", "\\[ga]"}, {"…", "..."},
};

/// How the text at its beginning is kept; moves behind it.
std::string_view next_kept(std::string_view& text) {
  for (const auto& [from, to] : kKept) {
    if (!text.starts_with(from)) continue;
    text.remove_prefix(from.size());
    return to;
  }
  const std::string_view same = text.substr(0, 1);
  text.remove_prefix(1);
  return same;
}

}  // namespace

std::string roff_text(std::string_view line) {
  std::string out = line.starts_with('.') ? "\\&" : "";
  while (!line.empty()) out += next_kept(line);
  return out;
}

std::string roff_section(std::string_view title) {
  return fmt::format(".SH {}\n", roff_text(title));
}

std::string roff_entry(std::string_view term, std::string_view meaning) {
  return fmt::format(".TP\n.B \"{}\"\n{}\n", roff_text(term), roff_text(meaning));
}

std::string roff_paragraphs(std::string_view text) {
  std::string out;
  bool filling = true;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) {
      out += ".PP\n";
      continue;
    }
    if (const bool fill = !line.starts_with(' '); fill != filling) {
      out += fill ? ".fi\n" : ".nf\n";
      filling = fill;
    }
    out += roff_text(line) + "\n";
  }
  return filling ? out : out + ".fi\n";
}

std::string roff_verbatim(std::string_view text) {
  std::string out = ".nf\n";
  for (const std::string_view line : split(text, '\n')) out += roff_text(line) + "\n";
  return out + ".fi\n";
}

}  // namespace evname::tools
