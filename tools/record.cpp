// evname record: samples events while a command runs, or for a time, into a perf.data.

#include "evname/recorder.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "input/machine.hpp"
#include "input/open_files.hpp"
#include "output/standard.hpp"
#include "record/control.hpp"
#include "record/files.hpp"
#include "record/options.hpp"
#include "screen/screen.hpp"
#include "stat/child.hpp"
#include "stat/metric_rows.hpp"
#include "subcommands.hpp"

namespace evname::tools {
namespace {

using RecordClock = std::chrono::steady_clock;

/// Samples one privilege level of events that name none.
void restrict_event(const RecordArguments& given, Encoding& event) {
  const bool names_level = event.modifiers.find_first_of("ukh") != std::string::npos;
  if (names_level) return;
  event.bits.exclude_kernel |= given.all_user;
  event.bits.exclude_user |= given.all_kernel;
}

/// Returns the filters of the `index`-th -e, in one; "" if there is none. --exclude-perf leaves out
/// the samples of this process.
std::string filter_of(const RecordArguments& given, std::size_t index) {
  std::string out;
  for (const auto& [before, value] : given.filters) {
    if (before != index + 1) continue;
    const std::string one = value.empty() ? fmt::format("common_pid != {}", ::getpid()) : value;
    out = out.empty() ? one : fmt::format("({}) && ({})", out, one);
  }
  return out;
}

void append_events(const RecordArguments& given, std::vector<Encoding> found,
                   std::vector<Encoding>& out) {
  const std::size_t first = out.size();
  for (Encoding& event : found) {
    event.leader += first;
    restrict_event(given, event);
    out.push_back(std::move(event));
  }
}

/// Returns the events of -M and --topdown, each group once; nullopt after reporting an unknown
/// metric.
std::optional<std::vector<std::string>> texts_of_metrics(const Machine& machine,
                                                         const RecordArguments& given) {
  std::vector<std::string> out;
  if (given.metrics.empty() && !given.topdown) return out;
  StatOptions options;
  options.metrics = given.metrics;
  options.topdown = given.topdown;
  options.topdown_level = given.topdown_level;
  if (!add_meant_metrics(machine, options)) return std::nullopt;
  const auto rows = MetricRows::plan(machine, options);
  if (!rows) return std::nullopt;
  for (std::string& text : rows->queries())
    if (!text.empty() && std::ranges::count(out, text) == 0) out.push_back(std::move(text));
  if (!out.empty()) return out;
  tell_error("the metrics have no event that can be sampled");
  return std::nullopt;
}

/// The events of all -e and -M, in one list, and a filter for each. nullopt after
/// reporting an unknown one.
std::optional<std::vector<Encoding>> events_to_record(const Machine& machine,
                                                      const RecordArguments& given,
                                                      std::vector<std::string>& filters) {
  auto texts = texts_of_metrics(machine, given);
  if (!texts) return std::nullopt;
  texts->insert(texts->begin(), given.events.begin(), given.events.end());
  if (texts->empty()) texts->emplace_back("cycles:P");
  std::vector<Encoding> out;
  bool all = true;
  for (std::size_t i = 0; i < texts->size(); ++i) {
    auto found = resolve_query(machine, (*texts)[i], false);
    all &= found.has_value();
    if (!found) continue;
    append_events(given, machine.regroup(*found), out);
    filters.resize(out.size(), filter_of(given, i));
  }
  if (!all || out.empty()) return std::nullopt;
  return out;
}

/// Splits the weak groups (`:W`) of metrics into single events. Returns false if there are none.
bool end_weak_groups(std::vector<Encoding>& events) {
  bool any = false;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (events[i].modifiers.find('W') == std::string::npos) continue;
    any |= events[i].leader != i;
    events[i].leader = i;
  }
  return any;
}

/// A running recording.
class RecordingRun {
 public:
  RecordingRun(const RecordArguments& given, Recorder& recorder, RecordFiles& files,
               Control& control, std::optional<Child>& child)
      : given_(given),
        recorder_(recorder),
        files_(files),
        control_(control),
        child_(child),
        times_(record_times(given)),
        rule_(switch_rule(given)) {}

  /// Starts the events, unless -D delays them or the execution of the command starts them, then the
  /// command. Returns false after reporting an error.
  bool start(bool starts_on_exec);
  /// Returns false after reporting an error.
  bool run(const AwaitedSignals& signals);
  void tell_faults() const { faults_.tell_rest(); }
  int stopped_by() const { return stopped_by_; }
  /// Returns true if it ended before the command.
  bool ended_first() const { return ended_first_; }

 private:
  using Ms = std::chrono::milliseconds;

  Ms elapsed() const { return std::chrono::duration_cast<Ms>(RecordClock::now() - start_); }
  bool is_over();
  bool is_left_alone(const AwaitedSignals& signals);
  bool follow_times();
  unsigned longest_wait() const;
  bool has_to_switch() const;
  bool switch_files();
  bool take_snapshot();
  void handle(int signal, pid_t sender);
  void follow_orders();
  bool follow(std::string_view order);
  bool switch_events(bool on, std::string_view name);

  const RecordArguments& given_;
  Recorder& recorder_;
  RecordFiles& files_;
  Control& control_;
  std::optional<Child>& child_;
  OrderFaults faults_;
  RecordClock::time_point listed_;
  RecordTimes times_;
  std::size_t time_ = 0;  ///< the current or next range of times_
  std::optional<SwitchRule> rule_;
  RecordClock::time_point start_ = RecordClock::now(), file_start_ = start_;
  std::uint64_t file_start_bytes_ = recorder_.tally().bytes;  ///< of records of existing processes
  int stopped_by_ = 0;
  bool is_ordered_to_stop_ = false, ended_first_ = false, is_asked_to_switch_ = false,
       is_asked_for_snapshot_ = false, is_told_ = false;
  bool is_enabled_ = false;  ///< or will be enabled by the execution of the command
};

/// A terminal sends signals to the command, too.
void RecordingRun::handle(int signal, pid_t sender) {
  if (signal == SIGUSR2) {
    is_asked_to_switch_ = rule_ && rule_->on_signal;
    is_asked_for_snapshot_ = !given_.snapshot.empty();
  }
  if (signal != SIGINT && signal != SIGTERM && signal != SIGHUP) return;
  stopped_by_ = signal;
  if (child_ && sender != 0) child_->send(signal);
}

bool RecordingRun::is_over() {
  if (child_ && child_->ended()) return true;
  return stopped_by_ != 0 || is_ordered_to_stop_ ||
         (given_.timeout != 0 && elapsed() >= Ms(given_.timeout));
}

/// Returns true if nothing is sampled any more, and no command is left to wait for. If the command
/// goes on, it executes a program that may not be sampled; this is reported once.
bool RecordingRun::is_left_alone(const AwaitedSignals& signals) {
  if (!recorder_.has_ended()) return false;
  if (!child_ || given_.of_others()) return true;
  constexpr unsigned kUntilItsEndIsKnown = 200, kNextLook = 500;
  pid_t sender = 0;
  handle(signals.next(is_told_ ? kNextLook : kUntilItsEndIsKnown, &sender), sender);
  if (is_over() || std::exchange(is_told_, true)) return false;
  tell_warning("{} goes on without being sampled: it executes a program that has other rights",
               given_.command.front());
  return false;
}

bool RecordingRun::start(bool starts_on_exec) {
  start_ = file_start_ = RecordClock::now();
  is_enabled_ = starts_on_exec;
  if (!follow_times()) return false;
  if (!child_) return true;
  const auto started = child_->release();
  if (started) return true;
  return tell_error("{}: {}", given_.command.front(), started.error().message);
}

/// Enables and disables the events by -D. Returns false after reporting an error.
bool RecordingRun::follow_times() {
  const auto now = static_cast<std::uint64_t>(elapsed().count());
  while (time_ < times_.size() && now >= times_[time_].second) ++time_;
  const bool wanted = time_ < times_.size() && now >= times_[time_].first;
  if (wanted == is_enabled_) return true;
  is_enabled_ = wanted;
  const auto done = wanted ? recorder_.enable() : recorder_.disable();
  if (!done) return tell_error("{}", done.error().text());
  return true;
}

/// Enables or disables all events, or events with a name.
bool RecordingRun::switch_events(bool on, std::string_view name) {
  bool any = name.empty();
  auto done = !any ? Result<void>() : on ? recorder_.enable() : recorder_.disable();
  const auto events = recorder_.events();
  for (std::size_t i = 0; i < events.size() && done && !name.empty(); ++i) {
    if (name != events[i].name && name != events[i].written()) continue;
    any = true;
    done = on ? recorder_.enable(i) : recorder_.disable(i);
  }
  if (!any) faults_.tell("no such event", fmt::format("there is no event '{}'", name));
  if (!done) faults_.tell("failed", done.error().text());
  return true;
}

/// Returns false for an unknown order, which gets no answer.
bool RecordingRun::follow(std::string_view order) {
  const std::size_t space = std::min(order.find(' '), order.size());
  const std::string_view word = order.substr(0, space), rest = trim(order.substr(space));
  if (word == "enable" || word == "disable") return switch_events(word == "enable", rest);
  if (word == "stop") return is_ordered_to_stop_ = true;
  if (word == "ping") return true;
  if (word == "snapshot" && !given_.snapshot.empty()) {
    if (const auto done = recorder_.snapshot(); !done) faults_.tell("failed", done.error().text());
    return true;
  }
  if (word != "evlist") return false;
  constexpr Ms kBetweenLists{100};  // a flood of orders does not fill the terminal
  if (RecordClock::now() - listed_ < kBetweenLists) return true;
  listed_ = RecordClock::now();
  for (const Encoding& event : recorder_.events()) tell_note("event {}", event.written());
  return true;
}

void RecordingRun::follow_orders() {
  const char* const known = given_.snapshot.empty()
                                ? "enable, disable, evlist, ping and stop"
                                : "enable, disable, evlist, ping, stop and snapshot";
  control_.follow_orders([&](std::string_view order) { return follow(order); }, known,
                         is_ordered_to_stop_, faults_);
}

/// Returns the ms until the next action that neither a buffer nor a signal causes. Readers of a
/// pipe need data soon.
unsigned RecordingRun::longest_wait() const {
  const auto now = static_cast<std::uint64_t>(elapsed().count());
  std::uint64_t out = given_.to_stream() ? 100 : 500;
  const auto until = [&](std::uint64_t when) {
    if (when != UINT64_MAX) out = std::min(out, when > now ? when - now : 0);
  };
  if (time_ < times_.size()) until(is_enabled_ ? times_[time_].second : times_[time_].first);
  if (given_.timeout != 0) until(given_.timeout);
  return static_cast<unsigned>(out);
}

bool RecordingRun::has_to_switch() const {
  if (!rule_) return false;
  // The records of existing processes alone may fill a file.
  const std::uint64_t bytes = recorder_.tally().bytes;
  const bool is_full = rule_->bytes != 0 && bytes >= rule_->bytes && bytes > file_start_bytes_;
  return is_asked_to_switch_ || is_full ||
         (rule_->time.count() != 0 && RecordClock::now() - file_start_ >= rule_->time);
}

bool RecordingRun::take_snapshot() {
  is_asked_for_snapshot_ = false;
  const auto done = recorder_.snapshot();
  if (!done) return tell_error("{}: {}", given_.output, done.error().text());
  return true;
}

bool RecordingRun::switch_files() {
  is_asked_to_switch_ = false;
  file_start_ = RecordClock::now();
  const int next = files_.open_next();
  if (next < 0) return false;
  const auto done = recorder_.switch_to(next);
  if (!done) return tell_error("{}: {}", given_.output, done.error().text());
  if (!files_.keep_next()) return false;
  if (!given_.quiet) tell_note("{} is complete", files_.last_name());
  file_start_bytes_ = recorder_.tally().bytes;
  return true;
}

bool RecordingRun::run(const AwaitedSignals& signals) {
  Progress progress;
  const auto show = child_ ? nullptr : progress.callback();
  while (!is_over()) {
    if (!follow_times()) return false;
    const auto more = recorder_.drain(longest_wait());
    if (!more) return tell_error("{}: {}", given_.output, more.error().text());
    if (!*more) {
      tell_note("{} is as large as --max-size permits", given_.output);
      break;
    }
    if (show) show(recorder_.tally().bytes, 0);
    pid_t sender = 0;
    for (int signal = 0; (signal = signals.next(0, &sender)) != 0;) handle(signal, sender);
    follow_orders();
    if (is_asked_for_snapshot_ && !take_snapshot()) return false;
    if (has_to_switch() && !switch_files()) return false;
    if (is_left_alone(signals)) break;
  }
  ended_first_ = child_ && !child_->ended();
  if (ended_first_) child_->send(SIGTERM);
  return true;
}

/// `name` is "" if there is no file.
void tell_result(const RecordArguments& given, const RecordTally& tally, const std::string& name) {
  if (tally.lost != 0)
    tell_warning("{} found no room in the buffers; -m gives them more pages",
                 counted(tally.lost, "record", "records"));
  if (tally.dropped != 0)
    tell_warning("{} made no sense, and its content is left out",
                 counted(tally.dropped, "buffer", "buffers"));
  if (tally.truncated != 0)
    tell_warning("{} of traces found no room; -m ,PAGES gives them more pages",
                 counted(tally.truncated, "piece", "pieces"));
  const auto rule = snapshot_rule(given);
  if (rule && !rule->at_end && tally.traced == 0)
    tell_warning("no snapshot was taken: SIGUSR2 asks for one, and -Se takes one at the end");
  if (given.quiet || name.empty()) return;
  const auto megabytes = [](std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; };
  const std::string traced =
      tally.traced != 0 ? fmt::format(" and {:.2f} MB of traces", megabytes(tally.traced)) : "";
  tell_note("{}{} in {} ({:.2f} MB)", counted(tally.samples, "sample", "samples"), traced, name,
            megabytes(tally.bytes));
}

/// Runs `evname report --html` on the file.
bool write_page(const RecordArguments& given, const std::string& name,
                const AwaitedSignals& signals) {
  const char* program = "/proc/self/exe";
  if (::access(program, X_OK) != 0)  // without procfs
    if (const auto* const path = reinterpret_cast<const char*>(::getauxval(AT_EXECFN)))
      program = path;
  std::vector<std::string> words = {program, "report", name, "--html", given.html};
  if (given.force) words.emplace_back("--force");
  if (user_events() == UserEvents::leave_out) words.emplace_back("--no-user-events");
  auto child = Child::prepare(words, signals);
  if (!child || !child->release()) return tell_error("--html: evname can't start itself");
  while (!child->ended()) signals.next(100);
  return child->status() == kDone;
}

/// Completes the file. If the recording was interrupted (`whole` is false), keeps the data so far.
/// Notes after the first `known_notes` were not reported yet.
int finish_recording(const RecordArguments& given, Recorder& recorder, RecordFiles& files,
                     const AwaitedSignals& signals, bool whole, std::size_t known_notes) {
  (void)recorder.disable();
  const auto rule = snapshot_rule(given);
  auto done = whole && rule && rule->at_end ? recorder.snapshot() : Result<void>();
  if (auto finished = recorder.finish(); done) done = std::move(finished);
  if (!done && whole) tell_error("{}: {}", given.output, done.error().text());
  for (const std::string& note : recorder.warnings().subspan(known_notes)) tell_warning("{}", note);
  const bool is_complete = files.end();
  tell_result(given, recorder.tally(), files.is_lost() ? "" : files.last_name());
  if (!done || !whole || !is_complete) return kUnusable;
  if (!given.html.empty() && !write_page(given, files.last_name(), signals)) return kUnusable;
  return kDone;
}

/// Opens the events; weak groups that the CPU can't count are sampled singly, and events that it
/// doesn't have are left out.
Result<Recorder> open_recorder(const Machine& machine, std::vector<Encoding>& events,
                               const CountTarget& target, RecordOptions& options) {
  auto out = Recorder::open(machine, events, target, options);
  if (out) return out;
  options.partial = true;
  if (!end_weak_groups(events) && (events.size() == 1 || out.error().code != Errc::unsupported))
    return out;
  return Recorder::open(machine, events, target, options);
}

bool set_priority(unsigned priority) {
  if (priority == 0) return true;
  sched_param wanted{};
  wanted.sched_priority = static_cast<int>(priority);
  if (sched_setscheduler(0, SCHED_FIFO, &wanted) == 0) return true;
  return tell_error("-r {}: {}; it needs CAP_SYS_NICE, or ulimit -r", priority,
                    std::strerror(errno));
}

/// Makes a recording by the arguments, and returns the exit status.
int record_events(const RecordArguments& given, const Machine& machine,
                  std::vector<Encoding>& events, std::vector<std::string> filters,
                  int& stopped_by) {
  const bool heeds_signal = given.switch_output == "signal" || !given.snapshot.empty();
  const AwaitedSignals signals(heeds_signal ? SIGUSR2 : 0);
  std::optional<Child> child;
  if (!given.command.empty()) {
    auto made = Child::prepare(given.command, signals);
    if (!made) return tell_error("{}", made.error().text());
    child.emplace(std::move(*made));
  }
  std::signal(SIGPIPE, SIG_IGN);  // writing reports it; the command has been forked
  auto options = record_options(given);
  const auto target = record_target(given, child ? child->pid() : -1);
  if (!options || !target || !set_priority(given.priority)) return kUnusable;
  Control control;
  if (!given.control.empty() && !control.open(given.control, signals.file())) return kUnusable;
  options->filters = std::move(filters);
  options->wake_file = given.control.empty() ? signals.file() : control.file();
  auto recorder = open_recorder(machine, events, *target, *options);
  if (!recorder) return tell_error("{}", recorder.error().text());
  if (!given.threads.empty() && !given.quiet)
    tell_note(
        "--threads: one thread reads all buffers, in a quarter of perf's time; -m gives them "
        "more room");
  if (given.dry_run) return kDone;
  RecordFiles files(given);
  if (files.fd() < 0) return kUnusable;
  if (const auto begun = recorder->begin(files.fd()); !begun)
    return tell_error("{}: {}", given.output, begun.error().text());
  const std::size_t notes = recorder->warnings().size();
  if (!given.quiet)
    for (const std::string& note : recorder->warnings()) tell_note("{}", note);
  RecordingRun recording(given, *recorder, files, control, child);
  if (!recording.start(options->setup.enable_on_exec)) return kUnusable;
  files.begun();
  const bool whole = recording.run(signals);
  recording.tell_faults();
  stopped_by = recording.stopped_by();
  const int status = finish_recording(given, *recorder, files, signals, whole, notes);
  if (!whole && child && !child->ended()) child->send(SIGTERM);
  while (child && !child->ended()) signals.next(100);
  const bool is_commands = child && stopped_by == 0 && !recording.ended_first();
  return status == kDone && is_commands ? child->status() : status;
}

/// Reports, before sampling begins, that the page would replace the recording.
bool may_write_page(const RecordArguments& given) {
  if (given.html.empty()) return true;
  if (!may_replace("--html", given.html, {&given.output, 1}, given.force)) return false;
  if (!is_same_output(given.html, given.output)) return true;
  return tell_error("--html and -o name the same file: {}", given.html);
}

int record(RecordArguments& given) {
  if (!may_write_page(given)) return kUnusable;
  const auto machine = Machine::live({}, user_events());
  if (!machine) return tell_error("{}", machine.error().text());
  std::vector<std::string> filters;
  auto events = events_to_record(*machine, given, filters);
  if (!events) return kUnusable;
  allow_many_files();
  int stopped_by = 0;
  const int status = record_events(given, *machine, *events, std::move(filters), stopped_by);
  if (stopped_by == 0) return status;
  std::signal(stopped_by, SIG_DFL);
  std::raise(stopped_by);
  return status;
}

}  // namespace

void add_record(Command& command) {
  auto& given = command.runs(record, record_problem);
  add_record_options(command, given);
  command.runs_another(given.command);
  command.notes(
      "The command and its own options follow after --. Without a command it records until\n"
      "--timeout, Ctrl-C or SIGTERM. A file of FILE's name that is not empty becomes FILE.old.\n\n"
      "Exit status: the command's; 128 plus the signal's number if a signal ended it; 2 if "
      "it\n"
      "could not be run or recorded. After SIGINT, SIGTERM or SIGHUP evname completes the file "
      "and\n"
      "ends by the same signal.");
}

}  // namespace evname::tools
