#include "help/help.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_names.hpp"
#include "base/read_file.hpp"
#include "cli/filled.hpp"
#include "complete/complete.hpp"
#include "input/machine.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "subcommands.hpp"

namespace evname::tools {

namespace {

bool is_option(const std::string& word) { return word.size() > 1 && word.starts_with('-'); }

std::vector<std::string> all_options(const Command& command) {
  std::vector<std::string> out;
  for (const Option& option : command.options())
    for (std::string& name : option.spellings()) out.push_back(std::move(name));
  return out;
}

/// " (did you mean --cpu?)" with the nearest of the names; "" if none is near.
std::string nearest_hint(const std::string& word, const std::vector<std::string>& names) {
  const auto name = nearest_name(word, names);
  return name.empty() ? std::string() : fmt::format(" (did you mean {}?)", name);
}

/// An option of perf or of another subcommand, and a subcommand's equivalent.
struct OtherWord {
  std::string_view subcommand, option, own;
};
constexpr OtherWord kOtherWords[] = {
    {"report", "--format", "--csv or --json"},
    {"report", "-T", "--sort comm,tid has a row for each thread"},
    {"report", "--threads", "--sort comm,tid has a row for each thread"},
    {"report", "--latency", "--waiting shows where threads waited"},
    {"report", "--mmaps", "evname script --show-mmap-events has them"},
    {"report", "--addr2line", "it reads debug information itself"},
    {"report", "--addr2line-style", "it reads debug information itself"},
    {"report", "--unwind-style", "it unwinds stacks itself"},
    {"report", "--asm-raw", "--instructions --csv has the bytes"},
    {"report", "--objdump", "--instructions decodes without it"},
    {"report", "--disassembler-style", "--instructions --syntax intel or att"},
    {"report", "--source", "--instructions has the source lines"},
    {"report", "--percent-type", "--instructions has shares of the function"},
    {"report", "--branch-history", "--branches has the branches of the stacks"},
    {"report", "--total-cycles", "--branches has the cycles of each branch"},
    {"report", "--mem-mode", "--mem reports accesses of memory"},
    {"report", "--modules", "--symfs DIRECTORY with lib/modules"},
    {"report", "--ignore-vmlinux", "--kallsyms FILE names functions of the kernel"},
    {"report", "--full-source-path", "--sort srcfile has whole paths"},
    {"report", "--parent", "--children counts with a function what it calls"},
    {"report", "-p", "--children counts with a function what it calls"},
    {"report", "--ignore-callees", "--sym PATTERN selects functions"},
    {"report", "--socket-filter", "--cpu LIST selects CPUs"},
    {"report", "--switch-on", "evname script --switch-on has it"},
    {"report", "--switch-off", "evname script --switch-off has it"},
    {"report", "--raw-trace", "evname script -F trace has the fields"},
    {"report", "--samples", "evname script has the samples"},
    {"report", "--group", "--stdio has one table for the events of a group"},
    {"report", "--percentage", "shares are of the selected samples"},
    {"report", "--ns", "--csv has times with all digits"},
    {"stat", "-v", "evname resolve prints the codes"},
    {"stat", "--verbose", "evname resolve prints the codes"},
    {"stat", "-T", "-M with a metric of group transaction"},
    {"stat", "--transaction", "-M with a metric of group transaction"},
    {"stat", "--smi-cost", "-M smi_num,smi_cycles"},
    {"stat", "--pmu-filter", "-e PMU/EVENT/ names one PMU"},
    {"stat", "--hybrid-merge", "each kind of core has its rows"},
    {"stat", "--filter", "evname record --filter samples those"},
    {"stat", "--bpf-prog", "it takes perf's BPF programs"},
    {"stat", "-b", "it takes perf's BPF programs"},
    {"stat", "--bpf-counters", "it takes perf's BPF programs"},
    {"annotate", "--csv", "--format csv"},
    {"annotate", "--header", "evname info -v prints it"},
    {"annotate", "--header-only", "evname info -v prints it"},
};

/// Returns true for a recording or a directory that has one.
bool names_recording(const std::string& word) {
  return is_recording(is_directory(word) ? word + "/data" : word);
}

std::string unexpected(const Command& command, const std::string& word) {
  const bool has_places = std::ranges::any_of(command.options(), &Option::is_positional);
  if (!is_option(word))
    return fmt::format("'{}' is one argument too many{}", word,
                       !has_places && names_recording(word) ? ": -i names a recording" : "");
  const std::string name = word.substr(0, word.find('='));
  for (const auto& [subcommand, option, own] : kOtherWords)
    if (subcommand == command.name() && option == name)
      return fmt::format("no option {} ({})", name, own);
  const bool is_letter = name.size() == 2;  // all other letters are equally near
  return fmt::format("no option {}{}", name,
                     is_letter ? std::string() : nearest_hint(name, all_options(command)));
}

std::string without_subcommand(const Program& program, const std::vector<std::string>& words) {
  const auto options = all_options(program.self());
  for (const std::string& word : words) {
    if (!is_option(word)) return no_subcommand(word);
    if (std::ranges::find(options, word.substr(0, word.find('='))) == options.end())
      return unexpected(program.self(), word);
  }
  return "which subcommand?";
}

}  // namespace

std::string no_subcommand(const std::string& word) {
  // perf's subcommands with another name.
  constexpr std::pair<std::string_view, std::string_view> kOfPerf[] = {{"evlist", "info"}};
  for (const auto& [of_perf, own] : kOfPerf)
    if (word == of_perf) return fmt::format("no subcommand '{}' (it is called {})", word, own);
  std::vector<std::string> names;
  for (const Subcommand& row : subcommands()) names.emplace_back(row.name);
  if (word.find_first_of("./") != word.npos)
    return fmt::format("'{}' is neither a subcommand nor a recording", word);
  return fmt::format("no subcommand '{}'{}", word, nearest_hint(word, names));
}

void tell_mistake(const Program& program, const Parsed& parsed,
                  const std::vector<std::string>& words) {
  if (parsed.command == nullptr) {
    tell_error("{}", without_subcommand(program, words));
    to_stderr("  evname --help lists them\n");
    return;
  }
  const Command& command = *parsed.command;
  tell_error("{}: {}", command.name(),
             parsed.extra.empty() ? parsed.mistake : unexpected(command, parsed.extra));
  if (const Subcommand* row = find_subcommand(command.name()))
    to_stderr(fmt::format("  Example: {}\n  evname {} --help has more\n", row->examples[0].line,
                          row->name));
}

namespace {

std::string example_text(const Example& example) {
  return fmt::format("  # {}\n  {}\n", example.what, example.line);
}

std::string examples_text(const Subcommand& row) {
  std::string out = row.examples[1].line.empty() ? "Example:\n" : "Examples:\n";
  for (const Example& example : row.examples)
    if (!example.line.empty()) out += example_text(example);
  out.pop_back();  // --help ends it
  return out;
}

/// Below the options in --help: notes, keys of --json, examples.
std::string footer_of(const Subcommand& row, const std::string& notes, std::size_t width) {
  std::string out;
  if (!notes.empty()) out += filled_paragraphs(notes, width) + "\n";
  if (!row.keys.empty()) out += filled(fmt::format("Keys of --json: {}", row.keys), width) + "\n\n";
  return out + examples_text(row);
}

std::string top_footer(std::size_t width) {
  std::string out = "Exit codes:\n";
  for (const auto& [code, meaning] : kExitCodes)
    out += fmt::format("  {}  {}\n", code, filled(meaning, width, 5, 5));
  out += "\nExamples:\n";
  for (const std::string_view name : kShown)
    out += example_text(find_subcommand(name)->examples[0]);
  return out + '\n' + filled("`evname FILE` with a recording is `evname report FILE`.", width) +
         '\n' +
         filled("`evname help SUBCOMMAND` has more examples; `man evname` has the same and more.",
                width);
}

struct HelpArguments {
  const Program* program = nullptr;
  std::string name;
  bool man = false;
};

/// Only with --man; help_words() has changed all other words.
int help(const HelpArguments& options) {
  const Program& program = *options.program;
  const Subcommand* row = find_subcommand(options.name);
  if (row == nullptr && !options.name.empty()) return tell_error("{}", no_subcommand(options.name));
  to_stdout(row == nullptr ? manual(program) : manual(*program.find(row->name), *row));
  return kDone;
}

}  // namespace

void add_subcommands(Program& program, ScreenOptions& screen,
                     const std::vector<std::string>& words) {
  const auto is_named = [&](const Subcommand& row) {
    return std::ranges::find(words, row.name) != words.end();
  };
  const bool needs_all = !words.empty() && (words[0] == kCompleteWord || words[0] == "help");
  const bool adds_all = needs_all || std::ranges::none_of(subcommands(), is_named);
  for (const Subcommand& row : subcommands()) {
    if (!adds_all && !is_named(row)) continue;
    Command& command = program.add(std::string(row.name), std::string(row.about));
    if (!needs_all && !is_named(row)) continue;
    row.add(command);
    command.group("");
    if (row.add != add_import) add_user_events(command);
    screen.add_to(command, row.pages);
    command.footer([&](std::size_t width) { return footer_of(row, command.notes(), width); });
  }
  program.self().footer(top_footer);
}

std::vector<std::string> help_words(std::vector<std::string> words) {
  const bool asks = !words.empty() && words[0] == "help";
  if (!asks || words.size() > 2 || (words.size() == 2 && words[1].starts_with('-'))) return words;
  if (words.size() == 1) return {"--help"};
  if (words[1] == "help" || find_subcommand(words[1]) != nullptr) return {words[1], "--help"};
  return {words[1]};  // the caller reports it as unknown
}

std::vector<std::string> with_subcommand(std::vector<std::string> words) {
  const auto is_value = [&](std::size_t at) { return at > 0 && words[at - 1] == "-o"; };
  std::size_t at = 0;
  while (at < words.size() && (is_option(words[at]) || is_value(at))) ++at;
  if (at < words.size() && find_subcommand(words[at]) == nullptr && names_recording(words[at]))
    words.insert(std::find(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(at), "-o"),
                 "report");
  return words;
}

void add_help(Program& program) {
  Command& command = program.add("help", "The help of a subcommand, or of all");
  HelpArguments& options = command.runs(help);
  options.program = &program;
  command.hide();
  command.option("SUBCOMMAND", options.name, "Which one; default: all");
  command.flag("--man", options.man, "As a manual page");
}

}  // namespace evname::tools
