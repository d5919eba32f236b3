#include "help/help.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"
#include "evname/version.h"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

/// Characters that roff would change, and their escapes: groff_char(7).
constexpr std::pair<std::string_view, std::string_view> kKept[] = {
    {"\\", "\\[rs]"}, {"-", "\\-"},    {"'", "\\[aq]"}, {"\"", "\\[dq]"},
    {"^", "\\[ha]"},  {"~", "\\[ti]"}, {"`", "\\[ga]"}, {"…", "..."},
};

/// Returns the escape of the text's beginning, and moves after it.
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

/// One line of running text or of a macro's quoted argument, with roff's own characters escaped.
std::string roff_text(std::string_view line) {
  std::string out = line.starts_with('.') ? "\\&" : "";
  while (!line.empty()) out += next_kept(line);
  return out;
}

/// ".SH NAME"
std::string roff_section(std::string_view title) {
  return fmt::format(".SH {}\n", roff_text(title));
}

/// A term, and its meaning below it.
std::string roff_entry(std::string_view term, std::string_view meaning) {
  return fmt::format(".TP\n.B \"{}\"\n{}\n", roff_text(term), roff_text(meaning));
}

/// Paragraphs: empty lines part them, indented lines stay as they are.
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

/// Lines that stay as they are.
std::string roff_verbatim(std::string_view text) {
  std::string out = ".nf\n";
  for (const std::string_view line : split(text, '\n')) out += roff_text(line) + "\n";
  return out + ".fi\n";
}

std::string head(std::string_view page, std::string_view description) {
  std::string title(page);
  for (char& c : title) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return fmt::format(".TH {} 1 \"\" \"evname {}\" \"User Commands\"\n", title, EVNAME_VERSION) +
         roff_section("NAME") + fmt::format("{} \\- {}\n", roff_text(page), roff_text(description));
}

/// "FILE", "--cpu CPU", "-o, --output FILE"
std::string option_term(const Option& option, bool positional) {
  if (positional) return option.argument_name();
  const std::string names = joined(option.spellings(), ", ");
  if (option.may_be_bare()) return fmt::format("{}[={}]", names, option.value_name());
  return option.takes_value() ? names + " " + option.value_name() : names;
}

std::string option_meaning(const Option& option) {
  const std::vector<std::string> values = option.values();
  if (values.empty()) return option.about();
  return fmt::format("{}. One of {}", option.about(), joined(values, ", "));
}

std::string argument_entries(const Command& command) {
  std::string out;
  for (const Option& option : command.options())
    if (!option.is_hidden() && option.is_positional())
      out += roff_entry(option_term(option, true), option_meaning(option));
  return out.empty() ? out : roff_section("ARGUMENTS") + out;
}

std::string option_entries(const Command& command) {
  std::string out = roff_section("OPTIONS");
  const auto groups = command.grouped_options();
  for (const auto& [heading, options] : groups) {
    if (groups.size() > 1) out += fmt::format(".SS {}\n", roff_text(heading));
    for (const Option& option : options)
      out += roff_entry(option_term(option, false), option_meaning(option));
  }
  return out;
}

std::string exit_status() {
  std::string out = roff_section("EXIT STATUS");
  for (const auto& [code, meaning] : kExitCodes)
    out += roff_entry(fmt::format("{}", code), meaning);
  return out;
}

std::string environment() {
  std::string out = roff_section("ENVIRONMENT");
  for (const Variable& variable : kVariables) out += roff_entry(variable.name, variable.meaning);
  return out;
}

std::string example_roff(const Example& example) {
  if (example.line.empty()) return {};
  return fmt::format(".PP\n{}:\n.PP\n.RS 4\n{}.RE\n", roff_text(example.what),
                     roff_verbatim(example.line));
}

std::string examples(const Subcommand& row) {
  std::string out = roff_section("EXAMPLES");
  for (const Example& example : row.examples) out += example_roff(example);
  return out;
}

std::string first_examples() {
  std::string out = roff_section("EXAMPLES");
  for (const std::string_view name : kShown)
    out += example_roff(find_subcommand(name)->examples[0]);
  return out;
}

std::string see_also(std::string_view self) {
  std::string out = roff_section("SEE ALSO") + ".BR evname (1),\n";
  for (const Subcommand& row : subcommands())
    if (row.name != self) out += fmt::format(".BR evname\\-{} (1),\n", roff_text(row.name));
  return out + ".BR perf (1),\n.BR perf_event_open (2)\n";
}

}  // namespace

std::string manual(const Program& program) {
  std::string out = head("evname", program.self().about()) + roff_section("SYNOPSIS") +
                    roff_verbatim("evname [OPTIONS] SUBCOMMAND ...");
  out += roff_section("DESCRIPTION") +
         roff_paragraphs(
             "Which machine is meant: --cpu takes a CPUID string, a model or a code name; -i the "
             "machine of a recording; --sysfs the PMUs of a captured tree. Without them it is this "
             "machine.\n\nResults go to standard output, all else to standard error.");
  out += roff_section("SUBCOMMANDS");
  for (const Subcommand& row : subcommands())
    out += roff_entry(fmt::format("evname-{}(1)", row.name), row.about);
  return out + option_entries(program.self()) + environment() + exit_status() + first_examples() +
         see_also("");
}

std::string manual(const Command& command, const Subcommand& row) {
  std::string out = head(fmt::format("evname-{}", row.name), row.about);
  out += roff_section("SYNOPSIS") + roff_verbatim(command.usage()) + roff_section("DESCRIPTION") +
         roff_paragraphs(command.about() + ".");
  if (!command.notes().empty()) out += ".PP\n" + roff_paragraphs(command.notes());
  out += argument_entries(command) + option_entries(command);
  if (!row.keys.empty()) out += roff_section("KEYS OF --json") + roff_paragraphs(row.keys);
  return out + environment() + exit_status() + examples(row) + see_also(row.name);
}

}  // namespace evname::tools
