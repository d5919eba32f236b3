// evname record: samples events while a command runs, or for a time, into a perf.data.

#include "evname/recorder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>

#include "base/output_file.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "evname/attr.hpp"
#include "input/machine.hpp"
#include "input/number_list.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "stat/child.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

using RecordClock = std::chrono::steady_clock;

struct RecordArguments {
  std::vector<std::string> events, command;
  std::string frequency, call_graph, cpus, pids, tids, cgroup, user, output = "perf.data";
  std::string branches, clock, max_size, html;
  unsigned period = 0, delay = 0, timeout = 0, level = 0, pages = 0, max_stack = 0;
  bool all_cpus = false, no_inherit = false, graph = false, any_branch = false, compress = false;
  bool data = false, weight = false, phys_data = false, data_page_size = false;
  bool code_page_size = false, sample_cpu = false, sample_period = false, running_time = false;
  bool per_thread = false, switches = false, all_user = false, all_kernel = false, quiet = false;
  bool force = false;

  bool of_cpus() const { return all_cpus || !cpus.empty() || !cgroup.empty(); }
  bool of_others() const { return !pids.empty() || !tids.empty() || !user.empty(); }
  bool to_stream() const { return output == "-"; }
};

/// Fields that an option adds to each sample.
struct FieldOption {
  bool RecordArguments::*asked;
  std::uint64_t fields;
};
constexpr FieldOption kFieldOptions[] = {
    {&RecordArguments::data, perfdata::kSampleAddr | perfdata::kSampleDataSrc},
    {&RecordArguments::weight, perfdata::kSampleWeightStruct},
    {&RecordArguments::phys_data, perfdata::kSamplePhysAddr | perfdata::kSampleAddr},
    {&RecordArguments::data_page_size, perfdata::kSampleDataPageSize | perfdata::kSampleAddr},
    {&RecordArguments::code_page_size, perfdata::kSampleCodePageSize},
    {&RecordArguments::sample_cpu, perfdata::kSampleCpu},
    {&RecordArguments::sample_period, perfdata::kSamplePeriod},
};

/// Words of perf record -j.
constexpr std::pair<std::string_view, std::uint64_t> kBranchWords[] = {
    {"u", PERF_SAMPLE_BRANCH_USER},
    {"k", PERF_SAMPLE_BRANCH_KERNEL},
    {"hv", PERF_SAMPLE_BRANCH_HV},
    {"any", PERF_SAMPLE_BRANCH_ANY},
    {"any_call", PERF_SAMPLE_BRANCH_ANY_CALL},
    {"any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN},
    {"ind_call", PERF_SAMPLE_BRANCH_IND_CALL},
    {"ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP},
    {"call", PERF_SAMPLE_BRANCH_CALL},
    {"cond", PERF_SAMPLE_BRANCH_COND},
    {"abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX},
    {"in_tx", PERF_SAMPLE_BRANCH_IN_TX},
    {"no_tx", PERF_SAMPLE_BRANCH_NO_TX},
    {"no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS},
    {"no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES},
    {"save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE},
    {"stack", PERF_SAMPLE_BRANCH_CALL_STACK},
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

std::string clock_problem(const std::string& word) {
  return row_of(kClockNames, word)
             ? std::string()
             : fmt::format("'{}' is none of monotonic, monotonic_raw, realtime, boottime and tai",
                           word);
}

std::string branch_problem(const std::string& words) {
  for (const std::string_view word : split(words, ','))
    if (!row_of(kBranchWords, word))
      return fmt::format("'{}' is no type of branch: any, any_call, u, k, …", word);
  return {};
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

std::uint64_t highest_frequency() {
  const auto text = read_text_file("/proc/sys/kernel/perf_event_max_sample_rate");
  return text ? parse_decimal(trim(*text)).value_or(0) : 0;
}

void set_frequency(const RecordArguments& given, RecordOptions& options) {
  options.period = given.period;
  if (given.frequency.empty()) return;
  const std::uint64_t most = highest_frequency();
  options.frequency =
      given.frequency == "max" ? (most != 0 ? most : 4000) : *parse_decimal(given.frequency);
  if (most == 0 || options.frequency <= most) return;
  tell_note("-F {}: {} a second is the most that kernel.perf_event_max_sample_rate permits",
            options.frequency, most);
  options.frequency = most;
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
  if (given.branches.empty()) return;
  for (const std::string_view word : split(given.branches, ','))
    options.branches |= *row_of(kBranchWords, word);
}

RecordOptions record_options(const RecordArguments& given) {
  RecordOptions out;
  set_frequency(given, out);
  set_chains(given, out);
  set_branches(given, out);
  for (const FieldOption& row : kFieldOptions)
    if (given.*row.asked) out.fields |= row.fields;
  out.max_stack = static_cast<std::uint16_t>(given.max_stack);
  out.inherit = !given.no_inherit;
  out.per_thread = given.per_thread;
  out.enable_on_exec =
      !given.command.empty() && !given.of_cpus() && !given.of_others() && given.delay == 0;
  out.data_mappings = given.data;
  out.switches = given.switches;
  out.running_time = given.running_time;
  out.buffer_pages = given.pages;
  out.compression = given.level != 0 ? static_cast<int>(given.level) : given.compress;
  out.max_size = given.max_size.empty() ? 0 : *size_of(given.max_size);
  if (!given.clock.empty()) out.clock = row_of(kClockNames, given.clock);
  out.command_line = {"evname", "record"};
  out.command_line.insert(out.command_line.end(), given.command.begin(), given.command.end());
  return out;
}

/// The processes of a user, by number or by the owner of a file in procfs.
std::vector<int> processes_of_user(const std::string& user) {
  std::vector<int> out;
  std::optional<std::uint64_t> id = parse_decimal(user);
  if (!id) {
    (void)base::read_lines("/etc/passwd", 1 << 24, [&](std::string_view line) {
      const auto words = split(line, ':');
      if (!id && words.size() > 2 && words[0] == user) id = parse_decimal(words[2]);
    });
    if (!id) return out;
  }
  for (const std::string& name : list_directory("/proc", 1 << 22)) {
    const auto process = parse_decimal(name);
    struct stat file {};
    if (process && *process <= INT32_MAX && ::stat(("/proc/" + name).c_str(), &file) == 0 &&
        file.st_uid == *id)
      out.push_back(static_cast<int>(*process));
  }
  return out;
}

CountTarget record_target(const RecordArguments& given, int child) {
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
  if (!given.user.empty()) target.ids = processes_of_user(given.user);
  return target;
}

/// The events of all -e, in one list. nullopt after reporting one that is not known.
std::optional<std::vector<Encoding>> events_to_record(const Machine& machine,
                                                      const RecordArguments& given) {
  std::vector<Encoding> out;
  bool all = true;
  for (const std::string& text :
       given.events.empty() ? std::vector<std::string>{"cycles:P"} : given.events) {
    auto found = resolve_query(machine, text, false);
    all &= found.has_value();
    if (!found) continue;
    const std::size_t first = out.size();
    for (Encoding& event : *found) {
      event.leader += first;
      const bool names_level = event.modifiers.find_first_of("ukh") != std::string::npos;
      if (!names_level && (given.all_user || given.all_kernel)) {
        event.modifiers += given.all_user ? 'u' : 'k';
        const std::uint8_t precise = event.bits.precise_ip;
        event.bits = attr_bits(event.modifiers);
        event.bits.precise_ip = precise;
      }
      out.push_back(std::move(event));
    }
  }
  if (!all || out.empty()) return std::nullopt;
  return out;
}

/// The file that is written while the events are sampled: what there is of it can be read if
/// evname is killed. A recording of that name becomes FILE.old, as with perf.
class RecordFile {
 public:
  explicit RecordFile(const RecordArguments& given) : path_(given.output) {
    if (given.to_stream()) {
      if (may_replace("-o", path_, {}, given.force)) fd_ = STDOUT_FILENO;
      return;
    }
    if (is_recording(path_)) {
      if (::rename(path_.c_str(), (path_ + ".old").c_str()) != 0) error_ = errno;
    }
    fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd_ < 0 || error_ != 0) tell_error("{}: {}", path_, std::strerror(errno));
  }
  ~RecordFile() {
    if (fd_ > STDERR_FILENO) ::close(fd_);
  }
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;

  int fd() const { return error_ == 0 ? fd_ : -1; }
  /// Takes the file away again: nothing was recorded.
  void discard() {
    if (fd_ > STDERR_FILENO && error_ == 0) ::unlink(path_.c_str());
  }

 private:
  std::string path_;
  int fd_ = -1, error_ = 0;
};

class Recording {
 public:
  Recording(const RecordArguments& given, Recorder& recorder, std::optional<Child>& child)
      : given_(given), recorder_(recorder), child_(child) {}

  /// Returns false after reporting what stopped it.
  bool run(const AwaitedSignals& signals);
  int stopped_by() const { return stopped_by_; }
  /// Returns true if it ended before the command.
  bool ended_first() const { return ended_first_; }

 private:
  bool is_over();
  bool has_to_wait() const;
  void handle(int signal, pid_t sender);

  const RecordArguments& given_;
  Recorder& recorder_;
  std::optional<Child>& child_;
  RecordClock::time_point start_ = RecordClock::now();
  int stopped_by_ = 0;
  bool is_enabled_ = false, ended_first_ = false;
};

/// What a terminal sends goes to the command as well, without us.
void Recording::handle(int signal, pid_t sender) {
  if (signal != SIGINT && signal != SIGTERM && signal != SIGHUP) return;
  stopped_by_ = signal;
  if (child_ && sender != 0) child_->send(signal);
}

bool Recording::is_over() {
  const auto elapsed = RecordClock::now() - start_;
  if (child_ && child_->ended()) return true;
  return stopped_by_ != 0 ||
         (given_.timeout != 0 && elapsed >= std::chrono::milliseconds(given_.timeout));
}

bool Recording::has_to_wait() const {
  return RecordClock::now() - start_ < std::chrono::milliseconds(given_.delay);
}

bool Recording::run(const AwaitedSignals& signals) {
  constexpr unsigned kWait = 100;
  while (!is_over()) {
    if (!is_enabled_ && !has_to_wait()) {
      is_enabled_ = true;
      if (const auto done = recorder_.enable(); !done)
        return tell_error("{}", done.error().text()), false;
    }
    const auto more = recorder_.drain(kWait);
    if (!more) return tell_error("{}: {}", given_.output, more.error().text()), false;
    if (!*more) {
      tell_note("{} is as large as --max-size permits", given_.output);
      break;
    }
    pid_t sender = 0;
    handle(signals.next(0, &sender), sender);
  }
  ended_first_ = child_ && !child_->ended();
  if (ended_first_) child_->send(SIGTERM);
  return true;
}

void tell_result(const RecordArguments& given, const RecordTally& tally) {
  if (tally.lost != 0)
    tell_warning("{} found no room in the buffers; -m gives them more pages",
                 counted(tally.lost, "record", "records"));
  if (tally.dropped != 0)
    tell_warning("{} made no sense, and its content is left out",
                 counted(tally.dropped, "buffer", "buffers"));
  if (given.quiet) return;
  tell_note("{} in {} ({:.2f} MB)", counted(tally.samples, "sample", "samples"), given.output,
            static_cast<double>(tally.bytes) / 1e6);
}

/// Runs `evname report --html` on the file.
bool write_page(const RecordArguments& given, const AwaitedSignals& signals) {
  std::vector<std::string> words = {"/proc/self/exe", "report", given.output, "--html", given.html};
  if (given.force) words.emplace_back("--force");
  auto child = Child::prepare(words, signals);
  if (!child || !child->release()) return tell_error("--html: evname can't start itself"), false;
  while (!child->ended()) signals.next(100);
  return child->status() == kDone;
}

int finish_recording(const RecordArguments& given, Recorder& recorder,
                     const AwaitedSignals& signals) {
  (void)recorder.disable();
  if (const auto done = recorder.finish(); !done) {
    tell_error("{}: {}", given.output, done.error().text());
    return kUnusable;
  }
  tell_result(given, recorder.tally());
  if (!given.html.empty() && !write_page(given, signals)) return kUnusable;
  return kDone;
}

int record(RecordArguments& given) {
  if (!given.html.empty() && !may_replace("--html", given.html, {&given.output, 1}, given.force))
    return kUnusable;
  const auto machine = Machine::live({}, user_events());
  if (!machine) return tell_error("{}", machine.error().text()), kUnusable;
  const auto events = events_to_record(*machine, given);
  if (!events) return kUnusable;
  allow_many_files();
  int status = kDone, stopped_by = 0;
  {
    const AwaitedSignals signals;
    std::optional<Child> child;
    if (!given.command.empty()) {
      auto made = Child::prepare(given.command, signals);
      if (!made) return tell_error("{}", made.error().text()), kUnusable;
      child.emplace(std::move(*made));
    }
    auto recorder = Recorder::open(
        *machine, *events, record_target(given, child ? child->pid() : -1), record_options(given));
    if (!recorder) return tell_error("{}", recorder.error().text()), kUnusable;
    RecordFile file(given);
    if (file.fd() < 0) return kUnusable;
    if (const auto begun = recorder->begin(file.fd()); !begun)
      return tell_error("{}: {}", given.output, begun.error().text()), kUnusable;
    if (!given.quiet)
      for (const std::string& note : recorder->notes()) tell_note("{}", note);
    if (child)
      if (const auto started = child->release(); !started) {
        file.discard();
        return tell_error("{}: {}", given.command.front(), started.error().message), kUnusable;
      }
    Recording recording(given, *recorder, child);
    const bool whole = recording.run(signals);
    stopped_by = recording.stopped_by();
    status = finish_recording(given, *recorder, signals);
    while (child && !child->ended()) signals.next(100);
    if (!whole) status = kUnusable;
    if (status == kDone && child && stopped_by == 0 && !recording.ended_first())
      status = child->status();
  }
  if (stopped_by == 0) return status;
  std::signal(stopped_by, SIG_DFL);
  std::raise(stopped_by);
  return status;
}

std::string_view record_problem(const RecordArguments& given) {
  if (given.of_cpus() && given.of_others())
    return "-p, -t and -u sample threads, -a, -C and -G CPUs: not both";
  if (given.all_user && given.all_kernel) return "--all-user and --all-kernel exclude each other";
  if (given.period != 0 && !given.frequency.empty()) return "-c and -F exclude each other";
  if (given.to_stream() && !given.html.empty()) return "--html needs a file, not -o -";
  const bool has_target = given.of_cpus() || given.of_others();
  return given.command.empty() && !has_target ? "COMMAND is missing" : "";
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

void add_sample_options(Command& command, RecordArguments& given) {
  command.flag("-g", given.graph, "Record callers, by frame pointers");
  command.option("--call-graph", given.call_graph, "Record callers: fp, dwarf, dwarf,SIZE or lbr")
      .value_name("HOW")
      .checked_by(chain_problem);
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
  command.flag("--running-time", given.running_time, "Record how long events had a counter");
  command.flag("--switch-events", given.switches, "Record context switches");
  command.flag("--all-user", given.all_user, "Sample user space alone");
  command.flag("--all-kernel", given.all_kernel, "Sample the kernel alone");
  for (const char* habit : {"-T,--timestamp", "-s,--stat", "-n,--no-samples",
                            "-N,--no-buildid-cache", "-B,--no-buildid", "-R,--raw-samples"})
    command.accept(habit);
}

void add_file_options(Command& command, RecordArguments& given) {
  command.option("-o,--output", given.output, "The file; - is standard output, for a pipe")
      .value_name("FILE");
  command.flag("-z", given.compress, "Compress the records with zstd");
  command.option("--compression-level", given.level, "The same, with more or less effort")
      .value_name("N")
      .between(1, 22);
  command.option("--max-size", given.max_size, "Stop once the file is so large: 64M")
      .value_name("SIZE")
      .checked_by(size_problem);
  command.option("-m,--mmap-pages", given.pages, "Pages of each buffer")
      .value_name("PAGES")
      .between(1, 1 << 20);
  command.option("-k,--clockid", given.clock, "The clock of samples' times")
      .value_name("CLOCK")
      .checked_by(clock_problem);
  command.option("-D,--delay", given.delay, "Start after so many ms").value_name("MS");
  command.option("--timeout", given.timeout, "Stop after so many ms").value_name("MS");
  command.option("--html", given.html, "Also write the page of `evname report --html`")
      .value_name("FILE");
  command.flag("-q,--quiet", given.quiet, "Do not say what was written");
  add_force(command, given.force);
}

}  // namespace

void add_record(Command& command) {
  auto& given = command.runs(record, record_problem);
  command
      .option("-e,--event", given.events,
              "What perf's -e takes; may be repeated; default: cycles:P")
      .value_name("EVENTS")
      .one_value_each();
  command.option("-F,--freq", given.frequency, "Samples a second, or max; default: 4000")
      .value_name("N")
      .checked_by(frequency_problem);
  command.option("-c,--count", given.period, "Events from one sample to the next")
      .value_name("N")
      .checked_by(count_problem);
  add_record_targets(command, given);
  add_sample_options(command, given);
  add_file_options(command, given);
  command.runs_another(given.command);
  command.notes(
      "The command and its own options follow after --. Without a command it records until\n"
      "--timeout, Ctrl-C or SIGTERM. A recording that FILE names already becomes FILE.old.\n\n"
      "Exit status: that of the command; 128 plus the signal's number if a signal ended it; 2 if "
      "it\n"
      "could not be run or recorded. After SIGINT, SIGTERM or SIGHUP evname completes the file "
      "and\n"
      "ends by the same signal.");
}

}  // namespace evname::tools
