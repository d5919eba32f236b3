#include "record/options.hpp"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <limits>
#include <tuple>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "evname/perf_data.hpp"
#include "input/number_list.hpp"
#include "record/control.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

/// Fields that an option adds to each sample.
struct FieldOption {
  bool RecordArguments::*asked;
  std::uint64_t fields;
};
constexpr FieldOption kFieldOptions[] = {
    {&RecordArguments::data, perfdata::kSampleAddr | perfdata::kSampleDataSrc},
    {&RecordArguments::weight, perfdata::kSampleWeightStruct},
    {&RecordArguments::phys_data, perfdata::kSamplePhysAddr},
    {&RecordArguments::data_page_size, perfdata::kSampleDataPageSize},
    {&RecordArguments::code_page_size, perfdata::kSampleCodePageSize},
    {&RecordArguments::sample_cpu, perfdata::kSampleCpu},
    {&RecordArguments::sample_period, perfdata::kSamplePeriod},
    {&RecordArguments::raw, perfdata::kSampleRaw | perfdata::kSampleCpu},
    {&RecordArguments::transactions, perfdata::kSampleTransaction},
    {&RecordArguments::registers, perfdata::kSampleRegsIntr},
    {&RecordArguments::user_registers, perfdata::kSampleRegsUser},
};

constexpr std::pair<std::string_view, int> kClockNames[] = {{"monotonic", CLOCK_MONOTONIC},
                                                            {"mono", CLOCK_MONOTONIC},
                                                            {"monotonic_raw", CLOCK_MONOTONIC_RAW},
                                                            {"raw", CLOCK_MONOTONIC_RAW},
                                                            {"realtime", CLOCK_REALTIME},
                                                            {"real", CLOCK_REALTIME},
                                                            {"boottime", CLOCK_BOOTTIME},
                                                            {"boot", CLOCK_BOOTTIME},
                                                            {"tai", CLOCK_TAI}};

template <std::size_t N, class T>
std::optional<T> row_of(const std::pair<std::string_view, T> (&rows)[N], std::string_view word) {
  for (const auto& [name, value] : rows)
    if (name == word) return value;
  return std::nullopt;
}

/// "64K", "10M", "1G"; nullopt if it is no size.
std::optional<std::uint64_t> size_of(std::string_view text) {
  constexpr std::pair<std::string_view, std::uint64_t> kUnits[] = {
      {"B", 1}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}};
  if (text.empty()) return std::nullopt;
  const auto unit = row_of(kUnits, text.substr(text.size() - 1));
  const auto number = parse_decimal(unit ? text.substr(0, text.size() - 1) : text);
  if (!number || *number > (std::uint64_t{1} << 30)) return std::nullopt;
  return *number * unit.value_or(1);
}

std::string size_problem(const std::string& text) {
  return size_of(text) ? std::string() : fmt::format("'{}' is not a size, such as 64M", text);
}

/// "128", "4M", "128,4M", ",512": pages, or bytes that are as many, of each buffer and of each area
/// for a trace; 0: not given.
std::optional<std::pair<std::size_t, std::size_t>> pages_of(std::string_view text) {
  constexpr std::size_t kMost = 1 << 20;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto parts = split(text, ',');
  std::array<std::size_t, 2> out{};
  for (std::size_t i = 0; i < parts.size() && i < out.size(); ++i) {
    if (parts[i].empty() && i == 0 && parts.size() == 2) continue;
    const auto pages = parse_decimal(parts[i]);
    const auto bytes = pages ? std::nullopt : size_of(parts[i]);
    out[i] = pages ? *pages : bytes.value_or(0) / page;
    if (out[i] == 0 || out[i] > kMost) return std::nullopt;
  }
  return parts.size() <= 2 ? std::optional(std::pair(out[0], out[1])) : std::nullopt;
}

std::string pages_problem(const std::string& text) {
  return pages_of(text) ? std::string()
                        : fmt::format(
                              "'{}' is no number of pages (128), no size (4M) and no two of "
                              "them (128,4M)",
                              text);
}

std::string clock_problem(const std::string& word) {
  return row_of(kClockNames, word)
             ? std::string()
             : fmt::format("'{}' is none of monotonic, monotonic_raw, realtime, boottime and tai",
                           word);
}

std::string branch_problem(const std::string& words) {
  const auto types = parse_branch_types(words);
  return types ? std::string() : types.error().message;
}

std::string frequency_problem(const std::string& text) {
  const auto number = parse_decimal(text);
  return text == "max" || (number && *number > 0)
             ? std::string()
             : fmt::format("'{}' is neither a number of samples a second nor max", text);
}

/// "fp", "dwarf", "dwarf,16384", "lbr".
std::string chain_problem(const std::string& text) {
  const auto parts = split(text, ',');
  const bool has_size = parts.size() == 2 && parts[0] == "dwarf";
  const auto size = has_size ? parse_decimal(parts[1]) : std::nullopt;
  if (has_size && (!size || *size == 0 || *size > 65528 || *size % 8 != 0))
    return "the size of a stack's copy is a multiple of 8 up to 65528";
  const bool is_known = parts[0] == "fp" || parts[0] == "dwarf" || parts[0] == "lbr";
  if (is_known && (parts.size() == 1 || has_size)) return {};
  return fmt::format("'{}' is none of fp, dwarf, dwarf,SIZE and lbr", text);
}

/// Returns false after reporting a frequency that is too high, if that is a mistake.
bool set_frequency(const RecordArguments& given, RecordOptions& options) {
  options.period = given.period;
  if (given.frequency.empty()) return true;
  const std::uint64_t most = highest_frequency();
  options.frequency = given.frequency == "max" ? most : *parse_decimal(given.frequency);
  if (!given.strict_frequency || most == 0 || options.frequency <= most) return true;
  tell_error("-F {}: {} a second is the most that kernel.perf_event_max_sample_rate permits",
             options.frequency, most);
  return false;
}

void set_chains(const RecordArguments& given, RecordOptions& options) {
  const auto parts = split(given.call_graph, ',');
  if (given.graph) options.chains = CallChains::frame_pointers;
  if (given.call_graph.empty()) return;
  if (parts[0] == "fp") options.chains = CallChains::frame_pointers;
  if (parts[0] == "lbr") options.chains = CallChains::branch_records;
  if (parts[0] == "dwarf") options.chains = CallChains::stack_copies;
  if (parts.size() == 2) options.stack_size = static_cast<std::uint32_t>(*parse_decimal(parts[1]));
}

void set_branches(const RecordArguments& given, RecordOptions& options) {
  if (given.any_branch) options.branches |= PERF_SAMPLE_BRANCH_ANY;
  if (!given.branches.empty()) options.branches |= parse_branch_types(given.branches).value_or(0);
}

/// "10", "10-20,30-40": each begins after the one before it has ended.
std::optional<RecordTimes> times_of(std::string_view text) {
  RecordTimes out;
  if (text == "-1") return out;
  for (const std::string_view word : split(text, ',')) {
    const std::size_t dash = word.find('-');
    const auto first = parse_decimal(word.substr(0, dash));
    const auto last =
        dash == word.npos ? std::optional(UINT64_MAX) : parse_decimal(word.substr(dash + 1));
    if (!first || !last || *first >= *last || (!out.empty() && *first <= out.back().second))
      return std::nullopt;
    out.emplace_back(*first, *last);
  }
  return out;
}

std::string delay_problem(const std::string& text) {
  return times_of(text) ? std::string()
                        : fmt::format(
                              "'{}' is neither a number of ms nor a list of ranges, such as "
                              "10-20,30-40",
                              text);
}

std::optional<SwitchRule> rule_of(std::string_view text) {
  using std::chrono::milliseconds;
  constexpr std::pair<std::string_view, std::uint64_t> kSeconds[] = {
      {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
  SwitchRule out;
  out.on_signal = text == "signal";
  if (out.on_signal || text.empty()) return out.on_signal ? std::optional(out) : std::nullopt;
  const auto unit = row_of(kSeconds, text.substr(text.size() - 1));
  const auto count = unit ? parse_decimal(text.substr(0, text.size() - 1)) : std::nullopt;
  if (count && *count != 0 && *count < 1'000'000) {
    out.time = milliseconds(*count * *unit * 1000);
    return out;
  }
  if (parse_decimal(text)) return std::nullopt;  // of what?
  out.bytes = size_of(text).value_or(0);
  return out.bytes != 0 ? std::optional(out) : std::nullopt;
}

std::string switch_problem(const std::string& text) {
  return rule_of(text)
             ? std::string()
             : fmt::format(
                   "'{}' is none of signal, a size such as 64M, and a time such as 30s, 5m, "
                   "2h or 1d",
                   text);
}

/// "e", "4M", "e0x100000": nullopt if it is none of these.
std::optional<SnapshotRule> snapshots_of(std::string_view text) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  SnapshotRule out;
  out.at_end = text.starts_with('e');
  if (out.at_end) text.remove_prefix(1);
  if (text.empty()) return out.at_end ? std::optional(out) : std::nullopt;
  const auto number = parse_number(text);
  const auto bytes = number ? number : size_of(text);
  if (!bytes || *bytes > kMost) return std::nullopt;
  out.bytes = *bytes;
  return out;
}

std::string snapshot_problem(const std::string& text) {
  return snapshots_of(text)
             ? std::string()
             : fmt::format("'{}' is no size up to 4G (e before it: also at the end)", text);
}

std::string aux_sample_problem(const std::string&) {
  return "evname records no pieces of a trace in samples, which Intel PT alone has: -S records the "
         "newest part of a trace at SIGUSR2, and perf record has --aux-sample";
}

std::string threads_problem(const std::string&) {
  return "evname records with one thread, which takes a quarter of perf's time: leave it out, or "
         "give the buffers more room (-m)";
}

std::string level_problem(const std::string& text) {
  const auto level = parse_decimal(text);
  return level && *level >= 1 && *level <= 22 ? std::string() : "the levels are 1 to 22";
}

/// nullopt: there is no such user.
std::optional<std::uint64_t> user_number(const std::string& user) {
  std::optional<std::uint64_t> out = parse_decimal(user);
  if (out) return out;
  (void)base::read_lines("/etc/passwd", 1 << 24, [&](std::string_view line) {
    const auto words = split(line, ':');
    if (!out && words.size() > 2 && words[0] == user) out = parse_decimal(words[2]);
  });
  return out;
}

/// The processes of a user, by the owner of a file in procfs.
std::vector<int> processes_of_user(std::uint64_t user) {
  std::vector<int> out;
  for (const std::string& name : list_directory("/proc", 1 << 22)) {
    const auto process = parse_decimal(name);
    struct stat file {};
    if (process && *process <= INT32_MAX && ::stat(("/proc/" + name).c_str(), &file) == 0 &&
        file.st_uid == user)
      out.push_back(static_cast<int>(*process));
  }
  return out;
}

}  // namespace

RecordTimes record_times(const RecordArguments& given) {
  return times_of(given.delay).value_or(RecordTimes{{0, UINT64_MAX}});
}

std::optional<SwitchRule> switch_rule(const RecordArguments& given) {
  return rule_of(given.switch_output);
}

std::optional<SnapshotRule> snapshot_rule(const RecordArguments& given) {
  return snapshots_of(given.snapshot);
}

std::optional<RecordOptions> record_options(const RecordArguments& given) {
  RecordOptions out;
  if (!set_frequency(given, out)) return std::nullopt;
  set_chains(given, out);
  set_branches(given, out);
  for (const FieldOption& row : kFieldOptions)
    if (given.*row.asked) out.fields |= row.fields;
  out.max_stack = static_cast<std::uint16_t>(given.max_stack);
  out.inherit = !given.no_inherit && given.tids.empty();
  out.per_thread = given.per_thread;
  out.enable_on_exec =
      !given.command.empty() && !given.of_cpus() && !given.of_others() && given.delay.empty();
  out.early_mappings = !given.delay.empty();
  out.data_mappings = given.data || given.data_mappings;
  out.switches = given.switches;
  out.namespaces = given.namespaces;
  out.cgroups = given.all_cgroups;
  out.bpf_programs = !given.no_bpf;
  out.running_time = given.running_time;
  out.thread_counts = given.thread_counts;
  out.samples = !given.no_samples;
  out.user_chains = given.user_chains || !given.kernel_chains;
  out.kernel_chains = given.kernel_chains || !given.user_chains;
  out.filter = given.filter;
  if (!given.pages.empty()) std::tie(out.buffer_pages, out.trace_pages) = *pages_of(given.pages);
  if (const auto rule = snapshot_rule(given)) {
    out.snapshots = true;
    out.snapshot_size = rule->bytes;
  }
  out.compression = static_cast<int>(parse_decimal(given.compression).value_or(0));
  out.max_size = given.max_size.empty() ? 0 : *size_of(given.max_size);
  if (!given.clock.empty()) out.clock = row_of(kClockNames, given.clock);
  out.command_line = {"evname", "record"};
  out.command_line.insert(out.command_line.end(), given.command.begin(), given.command.end());
  return out;
}

std::optional<CountTarget> record_target(const RecordArguments& given, int child) {
  CountTarget target;
  if (!given.cgroup.empty())
    target = CountTarget::in_cgroup(given.cgroup);
  else if (given.of_cpus())
    target = CountTarget::on_cpus();
  else if (!given.pids.empty() || !given.user.empty())
    target.kind = CountTarget::Kind::processes;
  else if (!given.tids.empty())
    target.kind = CountTarget::Kind::threads;
  else
    target = CountTarget::process(child);
  append_numbers(given.pids, target.ids);
  append_numbers(given.tids, target.ids);
  append_numbers(given.cpus, target.cpus);
  if (given.user.empty()) return target;
  const auto user = user_number(given.user);
  if (!user) return tell_error("-u {}: there is no such user", given.user), std::nullopt;
  target.ids = processes_of_user(*user);
  if (target.ids.empty())
    return tell_error("-u {}: the user has no process now; those that start later are not sampled",
                      given.user),
           std::nullopt;
  return target;
}

std::string_view record_problem(const RecordArguments& given) {
  if (given.of_cpus() && given.of_others())
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

namespace {

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

void add_sample_options(Command& command, RecordArguments& given) {
  command.flag("-g", given.graph, "Record callers, by frame pointers");
  command.option("--call-graph", given.call_graph, "Record callers: fp, dwarf, dwarf,SIZE or lbr")
      .value_name("HOW")
      .checked_by(chain_problem);
  command.flag("--user-callchains", given.user_chains, "Record callers in user space alone");
  command.flag("--kernel-callchains", given.kernel_chains, "Record callers in the kernel alone");
  command.option("--max-stack", given.max_stack, "The most callers of a sample")
      .value_name("N")
      .between(1, 65535);
  command.flag("-b,--branch-any", given.any_branch, "Record taken branches");
  command.option("-j,--branch-filter", given.branches, "Record branches of these types: any,u")
      .value_name("TYPES")
      .checked_by(branch_problem);
  command.flag("-d,--data", given.data, "Record addresses of data, and where data came from");
  command.flag("-W,--weight", given.weight, "Record weights: how long accesses took");
  command.flag("--phys-data", given.phys_data, "Record physical addresses of data");
  command.flag("--data-page-size", given.data_page_size, "Record sizes of pages of data");
  command.flag("--code-page-size", given.code_page_size, "Record sizes of pages of code");
  command.flag("--sample-cpu", given.sample_cpu, "Record the CPU of each sample");
  command.flag("-P,--period", given.sample_period, "Record the period of each sample");
  command.flag("-R,--raw-samples", given.raw, "Record what else the kernel has of a sample");
  command.flag("--transaction", given.transactions, "Record how transactions ended");
  command.flag("-I,--intr-regs", given.registers, "Record registers");
  command.flag("--user-regs", given.user_registers, "Record registers of user space");
  command.flag("--running-time", given.running_time,
               "Record how long the events of a group (:S) had a counter");
  command.flag("-s,--stat", given.thread_counts, "Record the counts of each thread that ends");
  command.flag("-n,--no-samples", given.no_samples, "Record no samples: mappings and counts alone");
  command.flag("--data-mmap", given.data_mappings, "Record mappings that are not executable");
  command.flag("--namespaces", given.namespaces, "Record namespaces of processes");
  command.flag("--all-cgroups", given.all_cgroups, "Record cgroups, and that of each sample");
  command.flag("--no-bpf-event", given.no_bpf, "Leave out BPF programs");
  command.flag("--switch-events", given.switches, "Record context switches");
  command.flag("--all-user", given.all_user, "Sample user space alone");
  command.flag("--all-kernel", given.all_kernel, "Sample the kernel alone");
  command.option("--filter", given.filter, "Of tracepoints, by fields: 'prev_pid == 1'")
      .value_name("FILTER");
  for (const char* habit :
       {"-T,--timestamp", "-N,--no-buildid-cache", "-B,--no-buildid", "--buildid-all",
        "--buildid-mmap", "--sample-identifier", "--no-buffering", "--timestamp-boundary",
        "--tail-synthesize", "--exclude-perf", "-v,--verbose"})
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
  command.option("--max-size", given.max_size, "Stop once the file is so large: 64M")
      .value_name("SIZE")
      .checked_by(size_problem);
  command
      .option("-m,--mmap-pages", given.pages,
              "Pages of each buffer, or a size (4M); after a comma, of each trace")
      .value_name("PAGES")
      .checked_by(pages_problem);
  command
      .option(
          "-S,--snapshot", given.snapshot,
          "Record the newest part of traces at SIGUSR2; e: at the end, too; 4M: at most so much")
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
  command
      .option("-D,--delay", given.delay,
              "Start after so many ms; ranges: 10-20,30-40; -1: see --control")
      .value_name("MS")
      .checked_by(delay_problem);
  command
      .option("--switch-output", given.switch_output,
              "Begin another file after SIGUSR2 (signal), a size (64M) or a time (30s)")
      .value_name("WHEN")
      .if_bare("signal")
      .checked_by(switch_problem);
  command.option("--switch-max-files", given.most_files, "Keep so many of them").value_name("N");
  command.flag("--timestamp-filename", given.timestamps_in_names,
               "Add the time to the file's name");
  command
      .option("--control", given.control,
              "Take orders from fd:NUMBER or fifo:PATH, answer to another: fd:3,4")
      .value_name("FILES")
      .checked_by(control_problem);
  command.option("--threads", given.threads, "").hide().if_bare("cpu").checked_by(threads_problem);
  command.flag("--dry-run", given.dry_run, "Check the options, and open the events");
  command.option("-r,--realtime", given.priority, "Run with this priority of SCHED_FIFO")
      .value_name("N")
      .between(1, 99);
  command.option("--timeout", given.timeout, "Stop after so many ms").value_name("MS");
  command.option("--html", given.html, "Also write the page of `evname report --html`")
      .value_name("FILE");
  command.flag("-q,--quiet", given.quiet, "Do not say what was written");
}

}  // namespace

void add_record_options(Command& command, RecordArguments& given) {
  command.option("-F,--freq", given.frequency, "Samples a second, or max; default: 4000")
      .value_name("N")
      .checked_by(frequency_problem);
  command.flag("--strict-freq", given.strict_frequency,
               "Fail if the system does not permit so many");
  command.option("-c,--count", given.period, "Events from one sample to the next")
      .value_name("N")
      .checked_by(count_problem);
  add_record_targets(command, given);
  add_sample_options(command, given);
  add_file_options(command, given);
}

}  // namespace evname::tools
