// Options that exclude or need each other, and those that do not.

#include <gtest/gtest.h>

#include <string>

#include "record/options.hpp"
#include "report/options.hpp"
#include "stat/options.hpp"
#include "topdown/options.hpp"

namespace evname::tools {
namespace {

/// Sets some options, and the beginning of the fault that they have together.
template <class Options>
struct Case {
  void (*set)(Options&);
  const char* fault;
};

using Record = Case<RecordArguments>;
const Record kRecord[] = {
    {[](auto& of) {
       of.filters.push_back({0, "a == 1"});
     },
     "there is no -e before --filter"},
    {[](auto& of) {
       of.filters.push_back({0, ""});
     },
     "there is no -e before --exclude-perf"},
    {[](auto& of) {
       of.filters.push_back({1, "a == 1"});
     },
     ""},
    {[](auto& of) {
       of.filters = {{1, "a == 1"}, {0, ""}};
     },
     "there is no -e before --exclude-perf"},
    {[](auto& of) { of.pids = "1", of.all_cpus = true; }, "-p, -t and -u sample threads"},
    {[](auto& of) { of.tids = "1", of.cpus = "0"; }, "-p, -t and -u sample threads"},
    {[](auto& of) { of.pids = "1", of.cgroup = "a"; }, "-p, -t and -u sample threads"},
    {[](auto& of) { of.user = "a", of.cpus = "0"; }, "-p, -t and -u sample threads"},
    {[](auto& of) { of.user = "a", of.cpus = "0", of.all_cpus = true; },
     "-p, -t and -u sample threads"},
    {[](auto& of) { of.user = "a", of.all_cpus = true; }, ""},
    {[](auto& of) { of.user = "a"; }, ""},
    {[](auto& of) { of.cgroup = "a", of.all_cpus = true; }, ""},
    {[](auto& of) { of.all_user = true; }, ""},
    {[](auto& of) { of.all_kernel = true; }, ""},
    {[](auto& of) { of.all_user = of.all_kernel = true; }, "--all-user and --all-kernel exclude"},
    {[](auto& of) { of.period = 1; }, ""},
    {[](auto& of) { of.frequency = "max"; }, ""},
    {[](auto& of) { of.period = 1, of.frequency = "max"; }, "-c and -F exclude each other"},
    {[](auto& of) { of.output = "-"; }, ""},
    {[](auto& of) { of.html = "a"; }, ""},
    {[](auto& of) { of.output = "-", of.html = "a"; }, "--html needs a file, not -o -"},
    {[](auto& of) { of.switch_output = "1s"; }, ""},
    {[](auto& of) { of.output = "-", of.switch_output = "1s"; },
     "--switch-output needs files, not -o -"},
    {[](auto& of) { of.html = "a", of.switch_output = "1s"; }, "--html is of one file"},
    {[](auto& of) { of.most_files = 2; }, "--switch-max-files needs --switch-output"},
    {[](auto& of) { of.most_files = 2, of.switch_output = "1s"; }, ""},
    {[](auto& of) { of.delay = "-1"; }, "-D -1 needs --control"},
    {[](auto& of) { of.delay = "-1", of.control = "fd:3"; }, ""},
    {[](auto& of) { of.delay = "1"; }, ""},
    {[](auto& of) { of.topdown_level = 1; }, "--td-level needs --topdown"},
    {[](auto& of) { of.topdown_level = 1, of.topdown = true; }, ""},
    {[](auto& of) { of.command.clear(); }, "COMMAND is missing"},
    {[](auto& of) { of.command.clear(), of.all_cpus = true; }, ""},
    {[](auto& of) { of.command.clear(), of.tids = "1"; }, ""},
};

using Stat = Case<StatOptions>;
const Stat kStat[] = {
    {[](auto&) {}, ""},
    {[](auto& of) { of.pids = "1", of.all_cpus = true; }, "-p and -t count threads, -a, -C and -G"},
    {[](auto& of) { of.tids = "1", of.cpus = "0"; }, "-p and -t count threads, -a, -C and -G"},
    {[](auto& of) { of.tids = "1", of.each_cgroup = "a"; }, "-p and -t count threads"},
    {[](auto& of) { of.tids = "1", of.pids = "1"; }, "-p and -t exclude each other"},
    {[](auto& of) { of.per_cpu = of.per_core = of.all_cpus = true; }, "only one of -A and"},
    {[](auto& of) { of.per_cluster = of.per_die = of.all_cpus = true; }, "only one of -A and"},
    {[](auto& of) { of.cache = "last", of.per_socket = of.all_cpus = true; }, "only one of -A and"},
    {[](auto& of) { of.per_node = of.per_thread = of.all_cpus = true; }, "only one of -A and"},
    {[](auto& of) { of.per_thread = true; }, "--per-thread counts threads of -p, -t or, with -a"},
    {[](auto& of) { of.per_thread = true, of.cpus = "0"; }, "--per-thread counts threads"},
    {[](auto& of) { of.per_thread = of.all_cpus = true; }, ""},
    {[](auto& of) { of.per_thread = true, of.pids = "1"; }, ""},
    {[](auto& of) { of.per_thread = true, of.tids = "1"; }, ""},
    {[](auto& of) { of.per_core = true, of.tids = "1"; }, "-A and --per options count CPUs"},
    {[](auto& of) { of.per_cpu = true, of.pids = "1"; }, "-A and --per options count CPUs"},
    {[](auto& of) { of.per_cpu = of.all_cpus = true; }, ""},
    {[](auto& of) { of.repeat = 2; }, ""},
    {[](auto& of) { of.repeat = 2, of.command.clear(); }, "-r runs a command again, without -I"},
    {[](auto& of) { of.repeat = 2, of.interval = 9; }, "-r runs a command again, without -I"},
    {[](auto& of) { of.repeat = 2, of.records = true; }, "stat record has one run, without -r"},
    {[](auto& of) { of.records = true; }, ""},
    {[](auto& of) { of.delay = "-1"; }, "-D -1 needs --control"},
    {[](auto& of) { of.delay = "-1", of.control = "fd:3"; }, ""},
    {[](auto& of) { of.all_user = of.all_kernel = true; }, "--all-user and --all-kernel exclude"},
    {[](auto& of) { of.all_user = true; }, ""},
    {[](auto& of) { of.all_kernel = true; }, ""},
    {[](auto& of) { of.cgroups = "a", of.each_cgroup = "b"; }, "-G and --for-each-cgroup exclude"},
    {[](auto& of) { of.cgroups = "a"; }, ""},
    {[](auto& of) { of.each_cgroup = "a,b"; }, ""},
    {[](auto& of) { of.each_cgroup = "a?"; }, "--for-each-cgroup takes names of cgroups"},
    {[](auto& of) { of.topdown_level = 1; }, "--td-level needs --topdown"},
    {[](auto& of) { of.topdown_level = 1, of.topdown = true; }, ""},
    {[](auto& of) { of.append = true; }, "--append needs -o or --log-fd"},
    {[](auto& of) { of.append = true, of.output = "a"; }, ""},
    {[](auto& of) { of.append = true, of.log_file = 3; }, ""},
    {[](auto& of) { of.openmetrics = true; }, ""},
    {[](auto& of) { of.openmetrics = of.json = true; }, "--openmetrics is a format of its own"},
    {[](auto& of) { of.openmetrics = true, of.separator = ","; }, "--openmetrics is a format"},
    {[](auto& of) { of.openmetrics = of.append = true, of.output = "a"; }, "--openmetrics is a fo"},
    {[](auto& of) { of.openmetrics = true, of.repeat = 2; }, "--openmetrics counts one run"},
    {[](auto& of) { of.openmetrics = of.metric_only = true; }, "--openmetrics has counts"},
    {[](auto& of) { of.json = true, of.separator = ","; }, "--json and -x exclude each other"},
    {[](auto& of) { of.output = "a", of.log_file = 3; }, "-o and --log-fd exclude each other"},
    {[](auto& of) { of.run_table = true; }, "--table shows the runs of -r"},
    {[](auto& of) { of.run_table = true, of.repeat = 2; }, ""},
    {[](auto& of) { of.clears = true; }, "--interval-clear clears a terminal"},
    {[](auto& of) { of.clears = true, of.interval = 9, of.output = "a"; }, "--interval-clear"},
    {[](auto& of) { of.interval_count = 1; }, "--interval-count needs -I"},
    {[](auto& of) { of.interval_count = 1, of.interval = 9; }, ""},
};

using Topdown = Case<TopdownOptions>;
const Topdown kTopdown[] = {
    {[](auto&) {}, ""},
    {[](auto& of) { of.stat.cgroups = "a,b"; }, "-G takes one cgroup"},
    {[](auto& of) { of.stat.cgroups = "a"; }, ""},
    {[](auto& of) { of.json = of.csv = true; }, "only one of --json, --csv and --html"},
    {[](auto& of) { of.json = true, of.html = "a"; }, "only one of --json, --csv and --html"},
    {[](auto& of) { of.csv = true, of.html = "a"; }, "only one of --json, --csv and --html"},
    {[](auto& of) { of.csv = true; }, ""},
    {[](auto& of) { of.html = "a"; }, ""},
    {[](auto& of) { of.from = {"a"}; }, "--from reads counts: there is nothing to count"},
    {[](auto& of) { of.from = {"a"}, of.stat.command.clear(); }, ""},
    {[](auto& of) { of.from = {"a"}, of.stat.command.clear(), of.stat.pids = "1"; },
     "--from reads counts: there is nothing"},
    {[](auto& of) { of.from = {"a"}, of.stat.command.clear(), of.stat.tids = "1"; },
     "--from reads counts: there is nothing"},
    {[](auto& of) { of.from = {"a"}, of.stat.command.clear(), of.stat.all_cpus = true; },
     "--from reads counts: there is nothing"},
    {[](auto& of) { of.from = {"a"}, of.stat.command.clear(), of.drill = true; },
     "--from reads counts, which --drill"},
    {[](auto& of) { of.from = {"a"}, of.stat.command.clear(), of.stat.repeat = 2; },
     "--from reads counts, which --drill"},
    {[](auto& of) { of.from = {"a"}, of.stat.command.clear(), of.stat.interval = 2; },
     "--from reads counts, which --drill"},
    {[](auto& of) { of.from = {"a"}, of.stat.command.clear(), of.stat.timeout = 2; },
     "--from reads counts, which --drill"},
    {[](auto& of) { of.from = {"a"}, of.stat.command.clear(), of.stat.per_cluster = true; },
     "counts of a recording can't be added up for clusters"},
    {[](auto& of) { of.from = {"a"}, of.stat.command.clear(), of.stat.per_node = true; },
     "counts of a recording can't be added up for clusters"},
    {[](auto& of) { of.from = {"a"}, of.stat.command.clear(), of.given.machine.cpu = "skx"; }, ""},
    {[](auto& of) { of.from = {"a"}, of.stat.command.clear(), of.stat.per_die = true; }, ""},
    {[](auto& of) { of.given.machine.cpu = "skx"; }, "--cpu, -i and --sysfs are for counts"},
    {[](auto& of) { of.given.machine.input = "a"; }, "--cpu, -i and --sysfs are for counts"},
    {[](auto& of) { of.given.machine.sysfs = "a"; }, "--cpu, -i and --sysfs are for counts"},
    {[](auto& of) { of.drill = true; }, ""},
    {[](auto& of) { of.drill = true, of.stat.command.clear(); }, "--drill runs a command again"},
    {[](auto& of) { of.drill = true, of.stat.interval = 1; }, "--drill runs a command again"},
    {[](auto& of) { of.stat.pids = "1", of.stat.all_cpus = true; }, "-p and -t count threads"},
};

using Report = Case<ReportArguments>;
const Report kReport[] = {
    {[](auto&) {}, ""},
    {[](auto& of) { of.files.clear(); }, "FILE is missing"},
    {[](auto& of) { of.files.clear(), of.perf.stdio = true; }, ""},
    {[](auto& of) { of.perf.stdio = true, of.html = "a"; }, "--stdio is perf's table"},
    {[](auto& of) { of.perf.stdio = of.json = true; }, "--stdio is perf's table"},
    {[](auto& of) { of.perf.stdio = of.csv = true; }, "--stdio is perf's table"},
    {[](auto& of) { of.perf.stdio = of.diff = true; }, "--stdio is perf's table"},
    {[](auto& of) { of.perf.stdio = of.topdown = true; }, "--stdio is perf's table"},
    {[](auto& of) { of.perf.stdio = true, of.metrics = "ipc"; }, "--stdio is perf's table"},
    {[](auto& of) { of.perf.stdio = of.memory = true; }, "--stdio is perf's table"},
    {[](auto& of) { of.perf.stdio = of.sharing = true; }, "--stdio is perf's table"},
    {[](auto& of) { of.perf.stdio = of.instructions = true; }, "--stdio is perf's table"},
    {[](auto& of) { of.perf.stdio = of.pass.waits = true; }, "--stdio is perf's table"},
    {[](auto& of) { of.perf.stdio = true, of.order = "last"; }, "--stdio is perf's table"},
    {[](auto& of) { of.perf.stdio = true, of.top = "3"; }, "--stdio is perf's table"},
    {[](auto& of) { of.perf.stdio = of.branches = of.children = true; }, "--branches takes"},
    {[](auto& of) { of.diff = true; }, "--diff compares two recordings"},
    {[](auto& of) {
       of.diff = true, of.files = {"a", "b", "c"};
     },
     "--diff compares two rec"},
    {[](auto& of) {
       of.diff = true, of.files = {"a", "b"};
     },
     ""},
    {[](auto& of) {
       of.diff = of.topdown = true, of.files = {"a", "b"};
     },
     "--diff can't compare --topdown"},
    {[](auto& of) {
       of.diff = true, of.metrics = "ipc", of.files = {"a", "b"};
     },
     "--diff can't compare --metrics"},
    {[](auto& of) {
       of.topdown = true, of.files = {"a", "b"};
     },
     "--topdown takes one recording"},
    {[](auto& of) {
       of.metrics = "ipc", of.files = {"a", "b"};
     },
     "--metrics takes one recording"},
    {[](auto& of) {
       of.files = {"a", "b"};
     },
     ""},
    {[](auto& of) { of.min_samples = "3"; }, "--min-samples needs --metrics or --topdown"},
    {[](auto& of) { of.min_samples = "3", of.topdown = true; }, ""},
    {[](auto& of) { of.levels = "3"; }, "--td-level needs --topdown"},
    {[](auto& of) { of.levels = "3", of.metrics = "ipc"; }, "--td-level needs --topdown"},
    {[](auto& of) { of.levels = "3", of.topdown = true; }, ""},
    {[](auto& of) { of.memory = true, of.html = "a"; }, "--html has memory accesses without"},
    {[](auto& of) { of.sharing = true, of.html = "a"; }, "--html has memory accesses without"},
    {[](auto& of) {
       of.memory = of.diff = true, of.files = {"a", "b"};
     },
     "--mem and --c2c take"},
    {[](auto& of) { of.sharing = of.topdown = true; }, "--mem and --c2c take neither --diff"},
    {[](auto& of) { of.branches = of.memory = true; }, "--branches takes neither --mem"},
    {[](auto& of) { of.branches = of.sharing = true; }, "--branches takes neither --mem"},
    {[](auto& of) { of.branches = of.topdown = true; }, "--branches takes neither --mem"},
    {[](auto& of) { of.branches = true, of.html = "a"; }, "--branches takes neither --mem"},
    {[](auto& of) { of.branches = of.pass.waits = true; }, "--branches takes neither --mem"},
    {[](auto& of) { of.branches = true; }, ""},
    {[](auto& of) { of.pass.waits = of.memory = true; }, "--waiting takes neither --mem"},
    {[](auto& of) { of.pass.waits = of.topdown = true; }, "--waiting takes neither --mem"},
    {[](auto& of) { of.pass.waits = true, of.html = "a"; }, ""},
    {[](auto& of) { of.instructions = true, of.html = "a"; }, "--instructions takes --top"},
    {[](auto& of) {
       of.instructions = of.diff = true, of.files = {"a", "b"};
     },
     "--instructions t"},
    {[](auto& of) { of.instructions = of.topdown = true; }, "--instructions takes --top"},
    {[](auto& of) { of.instructions = of.memory = true; }, "--instructions takes --top"},
    {[](auto& of) { of.instructions = of.branches = true; }, "--instructions takes --top"},
    {[](auto& of) { of.instructions = of.children = true; }, "--instructions takes --top"},
    {[](auto& of) { of.instructions = of.pass.waits = true; }, "--instructions takes --top"},
    {[](auto& of) { of.instructions = true, of.keys = "sym"; }, "--instructions takes --top"},
    {[](auto& of) { of.instructions = true, of.order = "last"; }, "--instructions takes --top"},
    {[](auto& of) { of.instructions = of.json = true, of.top = "3"; }, ""},
    {[](auto& of) { of.whole_functions = true; }, "--all and --syntax need --instructions"},
    {[](auto& of) { of.syntax = "att"; }, "--all and --syntax need --instructions"},
    {[](auto& of) { of.instructions = of.whole_functions = true, of.syntax = "att"; }, ""},
    {[](auto& of) { of.sharing = of.memory = true; }, "--c2c has tables of its own"},
    {[](auto& of) { of.sharing = true, of.keys = "sym"; }, "--c2c has tables of its own"},
    {[](auto& of) { of.sharing = true, of.order = "last"; }, "--c2c has tables of its own"},
    {[](auto& of) { of.memory = true, of.keys = "mem"; }, ""},
    {[](auto& of) { of.display = "tot"; }, "--display and --coalesce need --c2c"},
    {[](auto& of) { of.coalesce = "tid"; }, "--display and --coalesce need --c2c"},
    {[](auto& of) { of.sharing = true, of.display = "tot", of.coalesce = "tid"; }, ""},
    {[](auto& of) { of.perf.hierarchy = of.children = true; }, "--hierarchy has no column"},
    {[](auto& of) { of.html = "a", of.top = "3"; }, "--html has rows up to 2,000"},
    {[](auto& of) { of.html = "a", of.children = true; }, "--html counts what functions call"},
};

template <class Options, class Rows, class Fault>
void check(const Rows& rows, void (*start)(Options&), Fault fault_of) {
  std::size_t number = 0;
  for (const auto& row : rows) {
    Options options;
    start(options);
    row.set(options);
    const std::string fault(fault_of(options));
    EXPECT_TRUE(fault.starts_with(row.fault) && fault.empty() == std::string(row.fault).empty())
        << "case " << number << ": '" << fault << "', not '" << row.fault << "'";
    ++number;
  }
}

TEST(OptionFaults, OfRecord) {
  check<RecordArguments>(
      kRecord, [](auto& of) { of.command = {"true"}; }, record_problem);
}

TEST(OptionFaults, OfStat) {
  check<StatOptions>(
      kStat, [](auto& of) { of.command = {"true"}; },
      [](const StatOptions& options) { return options.mistake(); });
}

TEST(OptionFaults, OfStatPatternsOfCgroups) {
  for (const char letter : std::string_view("{}[]()|*+?^$")) {
    StatOptions options;
    options.each_cgroup = std::string("a") + letter;
    EXPECT_TRUE(options.mistake().starts_with("--for-each-cgroup takes names")) << letter;
  }
}

TEST(OptionFaults, OfTopdown) {
  check<TopdownOptions>(
      kTopdown, [](auto& of) { of.stat.command = {"true"}; },
      [](const TopdownOptions& options) { return options.mistake(); });
}

TEST(OptionFaults, OfReport) {
  check<ReportArguments>(
      kReport, [](auto& of) { of.files = {"perf.data"}; }, report_problem);
}

/// The parts of each option, and how perf's tables show them: print_aggr of util/stat-display.c.
TEST(StatParts, AreThoseOfTheOption) {
  struct Row {
    void (*set)(StatOptions&);
    Per per;
  };
  const Row rows[] = {
      {[](auto&) {}, Per::all},
      {[](auto& of) { of.per_cpu = true; }, Per::cpu},
      {[](auto& of) { of.per_core = true; }, Per::core},
      {[](auto& of) { of.per_cluster = true; }, Per::cluster},
      {[](auto& of) { of.cache = "L2"; }, Per::cache},
      {[](auto& of) { of.per_die = true; }, Per::die},
      {[](auto& of) { of.per_socket = true; }, Per::socket},
      {[](auto& of) { of.per_node = true; }, Per::node},
      {[](auto& of) { of.per_thread = true; }, Per::thread},
  };
  for (const Row& row : rows) {
    StatOptions options;
    row.set(options);
    EXPECT_EQ(options.per(), row.per);
    EXPECT_EQ(is_by_part(row.per), row.per != Per::cpu && row.per != Per::thread);
  }
}

}  // namespace
}  // namespace evname::tools
