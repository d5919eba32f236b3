#include "help/manual.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "help/option_model.hpp"
#include "help/roff.hpp"
#include "screen/environment.hpp"

namespace evname::tools {
namespace {

std::string head(std::string_view page, std::string_view description) {
  std::string title(page);
  for (char& c : title) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return fmt::format(".TH {} 1 \"\" \"evname {}\" \"User Commands\"\n", title, EVNAME_VERSION) +
         roff_section("NAME") + fmt::format("{} \\- {}\n", roff_text(page), roff_text(description));
}

/// "FILE", "--cpu CPU", "-o, --output FILE"
std::string option_term(const CLI::Option& option) {
  if (option.get_positional()) return option.get_name(true);
  const std::string names = fmt::format("{}", fmt::join(spellings(option), ", "));
  return takes_value(option) ? names + " " + value_name(option) : names;
}

std::string option_meaning(const CLI::Option& option) {
  const std::vector<std::string> values = closed_values(option);
  if (values.empty()) return option.get_description();
  return fmt::format("{}. One of {}", option.get_description(), fmt::join(values, ", "));
}

std::string entries(const CLI::App& app, const char* title, bool positional) {
  std::string out;
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty() && option->get_positional() == positional)
      out += roff_entry(option_term(*option), option_meaning(*option));
  return out.empty() ? out : roff_section(title) + out;
}

std::string usage_word(const CLI::Option& option) {
  std::string word = option.get_name(true);
  if (option.get_expected_max() >= CLI::detail::expected_max_vector_size) word += "...";
  return option.get_required() ? word : "[" + word + "]";
}

std::string synopsis(const CLI::App& app, const std::string& name) {
  std::string line = name + " [OPTIONS]";
  for (const CLI::Option* option : app.get_options())
    if (option->get_positional()) line += " " + usage_word(*option);
  if (app.get_require_subcommand_min() > 0) line += " SUBCOMMAND ...";
  if (runs_another(app)) line += " -- COMMAND [ARGUMENT...]";
  return roff_section("SYNOPSIS") + roff_verbatim(line);
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

std::string examples(const Subcommand& row) {
  std::string out = roff_section("EXAMPLES");
  for (const Example& example : row.examples)
    if (!example.line.empty())
      out += fmt::format(".PP\n{}:\n.PP\n.RS 4\n{}.RE\n", roff_text(example.what),
                         roff_verbatim(example.line));
  return out;
}

/// What the subcommand itself has to say below its options, before the table adds to it.
std::string notes_of(const Subcommand& row) {
  CLI::App app;
  Run run;
  row.add(app, run);
  return app.get_subcommand(std::string(row.name))->get_footer();
}

std::string see_also(std::string_view self) {
  std::string out = roff_section("SEE ALSO") + ".BR evname (1),\n";
  for (const Subcommand& row : subcommands())
    if (row.name != self) out += fmt::format(".BR evname\\-{} (1),\n", roff_text(row.name));
  return out + ".BR perf (1),\n.BR perf_event_open (2)\n";
}

}  // namespace

std::string manual(const CLI::App& app) {
  std::string out = head("evname", app.get_description()) + synopsis(app, "evname");
  out += roff_section("DESCRIPTION") +
         roff_paragraphs(
             "Which machine is meant: --cpu takes a CPUID string, a model or a code name; -i the "
             "machine of a recording; --sysfs the PMUs of a captured tree. Without them it is this "
             "machine.\n\nResults go to standard output, all else to standard error.");
  out += roff_section("SUBCOMMANDS");
  for (const Subcommand& row : subcommands())
    out += roff_entry(fmt::format("evname-{}(1)", row.name),
                      app.get_subcommand(std::string(row.name))->get_description());
  return out + entries(app, "OPTIONS", false) + environment() + exit_status() + see_also("");
}

std::string manual(const CLI::App& command, const Subcommand& row) {
  const std::string notes = notes_of(row);
  std::string out = head(fmt::format("evname-{}", row.name), command.get_description());
  out += synopsis(command, fmt::format("evname {}", row.name)) + roff_section("DESCRIPTION") +
         roff_paragraphs(command.get_description() + ".");
  if (!notes.empty()) out += ".PP\n" + roff_paragraphs(notes);
  out += entries(command, "ARGUMENTS", true) + entries(command, "OPTIONS", false);
  if (!row.keys.empty()) out += roff_section("KEYS OF --json") + roff_paragraphs(row.keys);
  return out + environment() + exit_status() + examples(row) + see_also(row.name);
}

}  // namespace evname::tools
