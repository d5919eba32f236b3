#include "record/options.hpp"

#include "input/number_list.hpp"
#include "output/standard.hpp"
#include "record/control.hpp"
#include "record/values.hpp"

namespace evname::tools {
namespace {

void add_event_options(Command& command, RecordArguments& given) {
  const Option events = command
                            .option("-e,--event", given.events,
                                    "What perf's -e takes; may be repeated; default: cycles:P")
                            .value_name("EVENTS")
                            .also("pfm-events")
                            .one_value_each();
  command
      .option(
          "--filter", given.filters,
          "Only samples with such fields, of the tracepoints of the -e before it: 'prev_pid == 1'")
      .value_name("FILTER")
      .placed_among(events);
  command
      .flag("--exclude-perf", given.filters,
            "Leave out samples of evname itself, of the tracepoints of the -e before it")
      .placed_among(events);
  command.option("-M,--metrics", given.metrics, "The events of a metric or of a group; repeatable")
      .value_name("METRIC")
      .one_value_each();
  command.flag("--topdown", given.topdown, "The events of the top-down tree's first level");
  command.option("--td-level", given.topdown_level, "Of this level").between(1, 9);
  command.flag("--all-user", given.all_user, "Sample only user space");
  command.flag("--all-kernel", given.all_kernel, "Sample only the kernel");
  command.option("-F,--freq", given.frequency, "Samples a second, or max; default: 4000")
      .value_name("N")
      .checked_by(frequency_problem);
  command.flag("--strict-freq", given.strict_frequency,
               "Fail if the system does not permit that many");
  command.option("-c,--count", given.period, "Events from one sample to the next")
      .value_name("N")
      .checked_by(count_problem);
}

void add_record_targets(Command& command, RecordArguments& given) {
  command.flag("-a,--all-cpus", given.all_cpus, "Sample everything on all CPUs");
  command.option("-C,--cpu", given.cpus, "Sample everything on these CPUs: 0-3,8")
      .value_name("CPUS")
      .checked_by(list_problem<std::int32_t>);
  command.option("-p,--pid", given.pids, "Sample these processes")
      .value_name("PIDS")
      .checked_by(list_problem<std::int32_t>);
  command.option("-t,--tid", given.tids, "Sample these threads")
      .value_name("TIDS")
      .checked_by(list_problem<std::int32_t>);
  command.option("-u,--uid", given.user, "Sample the processes of a user").value_name("USER");
  command.option("-G,--cgroup", given.cgroup, "Sample a cgroup").value_name("CGROUP");
  command.flag("-i,--no-inherit", given.no_inherit, "Leave out threads and processes made later");
  command.flag("--per-thread", given.per_thread, "A buffer for each thread, not for each CPU");
}

void add_caller_options(Command& command, RecordArguments& given) {
  command.flag("-g", given.graph, "Callers, by frame pointers");
  command.option("--call-graph", given.call_graph, "Callers: fp, dwarf, dwarf,SIZE or lbr")
      .value_name("HOW")
      .checked_by(chain_problem);
  command.flag("--user-callchains", given.user_chains, "Callers only in user space");
  command.flag("--kernel-callchains", given.kernel_chains, "Callers only in the kernel");
  command.option("--max-stack", given.max_stack, "The most callers of a sample")
      .value_name("N")
      .between(1, 65535);
  command.flag("-b,--branch-any", given.any_branch, "Taken branches");
  command.option("-j,--branch-filter", given.branches, "Branches of these types: any,u")
      .value_name("TYPES")
      .checked_by(branch_problem);
}

void add_field_options(Command& command, RecordArguments& given) {
  command.flag("-d,--data", given.data, "Addresses of data, and where data came from");
  command.flag("-W,--weight", given.weight, "Weights: how long accesses took");
  command.flag("--phys-data", given.phys_data, "Physical addresses of data");
  command.flag("--data-page-size", given.data_page_size, "Sizes of pages of data");
  command.flag("--code-page-size", given.code_page_size, "Sizes of pages of code");
  command.flag("--sample-cpu", given.sample_cpu, "The CPU of each sample");
  command.flag("-P,--period", given.sample_period, "The period of each sample");
  command.flag("-R,--raw-samples", given.raw, "What else the kernel has of a sample");
  command.flag("--transaction", given.transactions, "How transactions ended");
  command.flag("-I,--intr-regs", given.registers, "Registers");
  command.flag("--user-regs", given.user_registers, "Registers of user space");
}

void add_record_kinds(Command& command, RecordArguments& given) {
  command.flag("--running-time", given.running_time,
               "How long the events of a group (:S) had a counter");
  command
      .option("--synth", given.existing,
              "What is recorded of the processes that exist: no, all, or a list of task, mmap and "
              "cgroup; default: all")
      .value_name("WHAT")
      .checked_by(existing_problem);
  command.flag("-s,--stat", given.thread_counts, "The counts of each thread that ends");
  command.flag("-n,--no-samples", given.no_samples, "No samples: only mappings and counts");
  command.flag("--data-mmap", given.data_mappings, "Mappings that are not executable");
  command.flag("--namespaces", given.namespaces, "Namespaces of processes");
  command.flag("--all-cgroups", given.all_cgroups, "Cgroups, and the cgroup of each sample");
  command.flag("--no-bpf-event", given.no_bpf, "Leave out BPF programs");
  command.flag("--switch-events,--latency", given.switches,
               "Context switches, which perf report --latency needs");
}

/// These options of perf select evname's default behaviour, or have no effect here.
void accept_habits(Command& command) {
  for (const char* habit :
       {"-T,--timestamp", "-N,--no-buildid-cache", "-B,--no-buildid", "--buildid-all",
        "--buildid-mmap", "--sample-identifier", "--no-buffering", "--timestamp-boundary",
        "--tail-synthesize", "-v,--verbose"})
    command.accept(habit);
}

void add_file_options(Command& command, RecordArguments& given) {
  command.option("-o,--output", given.output, "The file; - is standard output, for a pipe")
      .value_name("FILE");
  command
      .option("-z,--compression-level", given.compression,
              "Compress the records with zstd: -z, or -z3 for a level")
      .value_name("N")
      .if_bare("1")
      .checked_by(level_problem);
  command.option("--max-size", given.max_size, "Stop when the file reaches this size, such as 64M")
      .value_name("SIZE")
      .checked_by(size_problem);
  command
      .option("--switch-output", given.switch_output,
              "Begin another file after SIGUSR2 (signal), a size (64M) or a time (30s)")
      .value_name("WHEN")
      .if_bare("signal")
      .checked_by(switch_problem);
  command.option("--switch-max-files", given.most_files, "Keep at most N of them").value_name("N");
  command.flag("--timestamp-filename", given.timestamps_in_names,
               "Add the time to the file's name");
  command.option("--html", given.html, "Also write the page of `evname report --html`")
      .value_name("FILE");
  command.flag("-q,--quiet", given.quiet, "Do not say what was written");
  add_force(command, given.force);
}

void add_buffer_options(Command& command, RecordArguments& given) {
  command
      .option("-m,--mmap-pages", given.pages,
              "Pages of each buffer, or a size (4M); after a comma, of each trace")
      .value_name("PAGES")
      .checked_by(pages_problem);
  command
      .option(
          "-S,--snapshot", given.snapshot,
          "Record the newest part of traces at SIGUSR2; e: at the end, too; 4M: at most that size")
      .value_name("[e]SIZE")
      .if_bare("0")
      .checked_by(snapshot_problem);
  command.option("--aux-sample", given.aux_sample, "")
      .hide()
      .if_bare("0")
      .checked_by(aux_sample_problem);
  command.option("-k,--clockid", given.clock, "The clock of samples' times")
      .value_name("CLOCK")
      .checked_by(clock_problem);
}

void add_time_options(Command& command, RecordArguments& given) {
  command
      .option("-D,--delay", given.delay,
              "Start after this many ms; ranges: 10-20,30-40; -1: see --control")
      .value_name("MS")
      .checked_by(delay_problem);
  command
      .option("--control", given.control,
              "Read commands (enable, disable, stop, …) from fd:NUMBER or fifo:PATH; after a "
              "comma, where to write the answers: fd:3,4")
      .value_name("FILES")
      .checked_by(control_problem);
  command
      .option("--threads", given.threads, "Taken as from perf: one thread reads all buffers here")
      .value_name("HOW")
      .if_bare("cpu");
  command.flag("--dry-run", given.dry_run, "Check the options, and open the events");
  command.option("-r,--realtime", given.priority, "Run with this priority of SCHED_FIFO")
      .value_name("N")
      .between(1, 99);
  command.option("--timeout", given.timeout, "Stop after this time, in ms").value_name("MS");
}

}  // namespace

void add_record_options(Command& command, RecordArguments& given) {
  command.group("What to sample");
  add_event_options(command, given);
  command.group("Whom to sample");
  add_record_targets(command, given);
  command.group("What to record");
  add_caller_options(command, given);
  add_field_options(command, given);
  add_record_kinds(command, given);
  command.group("How to record");
  accept_habits(command);
  add_buffer_options(command, given);
  add_time_options(command, given);
  command.group("Output");
  add_file_options(command, given);
}

std::string_view record_problem(const RecordArguments& given) {
  for (const Option::Placed& filter : given.filters)
    if (filter.before == 0)
      return filter.value.empty() ? "there is no -e before --exclude-perf"
                                  : "there is no -e before --filter";
  const bool of_user = given.all_cpus && !given.user.empty() && given.cpus.empty();
  if (given.of_cpus() && given.of_others() && !of_user)
    return "-p, -t and -u sample threads, -a, -C and -G CPUs: not both";
  if (given.all_user && given.all_kernel) return "--all-user and --all-kernel exclude each other";
  if (given.period != 0 && !given.frequency.empty()) return "-c and -F exclude each other";
  if (given.to_stream() && !given.html.empty()) return "--html needs a file, not -o -";
  if (given.to_stream() && !given.switch_output.empty())
    return "--switch-output needs files, not -o -";
  if (!given.html.empty() && !given.switch_output.empty())
    return "--html is of one file, --switch-output writes several";
  if (given.switch_output.empty() && given.most_files != 0)
    return "--switch-max-files needs --switch-output";
  if (given.delay == "-1" && given.control.empty()) return "-D -1 needs --control";
  if (given.topdown_level != 0 && !given.topdown) return "--td-level needs --topdown";
  const bool has_target = given.of_cpus() || given.of_others();
  return given.command.empty() && !has_target ? "COMMAND is missing" : "";
}

}  // namespace evname::tools
