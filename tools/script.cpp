// evname script: perf script, for the tools that call it.

#include <fmt/format.h>

#include "input/filters.hpp"
#include "input/recording.hpp"
#include "output/standard.hpp"
#include "recordings/annotation/script_options.hpp"
#include "screen/screen.hpp"
#include "stat/counts_file.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

struct ScriptArguments {
  std::string file;
  std::vector<std::string> fields;
  TraceArguments traces;
  FilterOptions filter;
  NamedFunctions functions;
  annotation::ScriptOptions annotate;
};

/// Records that are printed beside samples.
struct Others {
  const char* option;
  bool annotation::OtherRecords::*member;
  const char* what;
};
constexpr Others kOthers[] = {
    {"--show-mmap-events", &annotation::OtherRecords::mmaps, "Also print what was mapped"},
    {"--show-task-events", &annotation::OtherRecords::tasks,
     "Also print the names, forks and exits of threads"},
    {"--show-switch-events", &annotation::OtherRecords::switches, "Also print context switches"},
    {"--show-namespace-events", &annotation::OtherRecords::namespaces, "Also print namespaces"},
    {"--show-cgroup-events", &annotation::OtherRecords::cgroups, "Also print cgroups"},
    {"--show-lost-events", &annotation::OtherRecords::lost, "Also print what was lost"},
    {"--show-bpf-events", &annotation::OtherRecords::bpf,
     "Also print BPF programs and their symbols"}};

int print_script(ScriptArguments& options) {
  const auto file = options.traces.open(perf_input(options.file));
  if (!file) return kUnusable;
  annotation::ScriptOptions& how = options.annotate;
  how.names = NameStyle::recorded;
  how.printable = is_terminal(Screen::out);
  options.filter.fill(how.filter);
  auto fields = annotation::parse_script_fields(options.fields, *file);
  if (!fields && print_count_rounds(*file)) return kDone;  // of `stat record`
  if (!fields) return tell_error("{}", fields.error().text());
  how.event_fields = std::move(*fields);
  if (const auto times = options.filter.fill_times(*file, how.filter); !times)
    return tell_error("{}", times.error().text());
  how.symbols = &options.functions.get();
  const auto tally = annotation::annotate(*file, how, to_stdout);
  if (!tally) return tell_error("{}", tally.error().text());
  if (tally->samples == 0 && print_count_rounds(*file)) return kDone;
  options.functions.tell_problems(false);
  return finish_pass(*file, *tally);
}

}  // namespace

void add_script(Command& command) {
  auto& options = command.runs(print_script);
  add_perf_input(command, options.file);
  command
      .option("-F,--fields", options.fields,
              "What to print: comm,pid,ip; +srcline or -period change the default; trace:comm,time "
              "for events of a type: hw, sw, trace, raw, break")
      .value_name("FIELDS")
      .one_value_each();
  for (const Others& row : kOthers)
    command.flag(row.option, options.annotate.others.*row.member, row.what);
  options.traces.add_to(command);
  command.accept("-f,--force");
  command.accept("--stdio");
  add_jobs(command, options.annotate.pass.jobs);
  options.filter.add_to(command);
  options.functions.add_to(command);
  command.notes(
      "The output equals perf script 7.3's, byte for byte, except as docs/perf.md lists.\n"
      "Called through a link named perf, evname takes only script and buildid-list, so that\n"
      "perf2bolt, llvm-profgen and others that look for perf in $PATH use it.");
}

}  // namespace evname::tools
