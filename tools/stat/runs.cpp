#include "stat/runs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <utility>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "input/number_list.hpp"
#include "input/open_files.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"
#include "stat/figures.hpp"
#include "stat/rows_text.hpp"

namespace evname::tools {
namespace {

using std::chrono::milliseconds;

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// The CPU time of a running process: proc(5), utime and stime of /proc/ID/stat.
RunTimes usage_of(pid_t process) {
  const auto text = read_text_file(fmt::format("/proc/{}/stat", process));
  const std::size_t name_end = text ? text->rfind(')') : std::string::npos;
  if (name_end == std::string::npos) return {};
  const auto words = split(std::string_view(*text).substr(name_end), ' ');
  const auto per_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto time = [&](std::size_t at) {
    return at < words.size()
               ? static_cast<double>(parse_decimal(words[at]).value_or(0)) / per_second
               : 0.0;
  };
  return {0, time(12), time(13)};
}

/// proc(5): the state follows the name; an ended process that was not waited for is a zombie.
bool thread_lives(const std::string& folder) {
  const auto text = read_text_file(folder + "/stat");
  const std::size_t name_end = text ? text->rfind(") ") : std::string::npos;
  return name_end != std::string::npos && text->find_first_of("ZX", name_end) != name_end + 2;
}

/// The first thread of a process may end before the others.
bool process_lives(int id) {
  std::error_code error;
  for (const auto& entry :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", id), error))
    if (thread_lives(entry.path().string())) return true;
  return false;
}

struct Spread {
  double mean = 0, error = 0;  ///< standard deviation of the mean
};

Spread spread_of(std::span<const double> values) {
  Spread out;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) out.mean += value / count;
  double squares = 0;
  for (const double value : values) squares += (value - out.mean) * (value - out.mean);
  if (values.size() > 1) out.error = std::sqrt(squares / (count - 1) / count);
  return out;
}

}  // namespace

CountOutput::~CountOutput() {
  if (file_ >= 0 && is_ours_) ::close(file_);
}

bool CountOutput::open(const StatOptions& options) {
  path_ = options.output;
  is_quiet_ = options.quiet;
  if (options.log_file != 0) {
    file_ = static_cast<int>(options.log_file);
    is_ours_ = false;
    path_ = fmt::format("--log-fd {}", file_);
    const int how = ::fcntl(file_, F_GETFL);
    if (how >= 0 && (!options.append || ::fcntl(file_, F_SETFL, how | O_APPEND) == 0)) return true;
    return tell_error("{}: {}", path_, std::strerror(errno));
  }
  if (!path_.empty() && !may_replace("-o", path_, {}, options.force)) return false;
  if (path_.empty() || path_ == "-" || options.openmetrics) return true;
  const int how = options.append ? O_APPEND : O_TRUNC;
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | how, 0666);
  if (file_ < 0) return tell_error("{}: {}", path_, std::strerror(errno));
  if (options.json) return true;
  const std::time_t now = std::time(nullptr);
  char text[32];
  write(fmt::format("# started on {}\n", ctime_r(&now, text)));
  return true;
}

void CountOutput::write(const std::string& text) {
  if (is_quiet_) return;
  if (path_ == "-") {
    failed_ |= !to_stdout(text) || !flush_output();
  } else if (file_ < 0) {
    failed_ |= !to_stderr(text);
  } else {
    failed_ |= write_all(file_, text) != 0;
  }
}

bool CountOutput::finish() {
  if (const int file = std::exchange(file_, -1); file >= 0) {
    failed_ |= is_ours_ && ::close(file) != 0 && errno != EINTR;
    if (failed_) tell_error("{}: not all could be written", path_);
  }
  return !failed_;
}

double Runs::elapsed() const {
  return std::chrono::duration<double>((over_ ? end_ : Clock::now()) - start_).count();
}

RunTimes Runs::times() const {
  RunTimes out;
  if (child_ && over_)
    out = {0, seconds(child_->usage().ru_utime), seconds(child_->usage().ru_stime)};
  else if (child_)
    out = usage_of(child_->pid());
  out.elapsed = elapsed();
  return out;
}

bool Runs::begin(const AwaitedSignals& signals) {
  over_ = false;
  delayed_start_.reset();
  shown_ = {};
  child_.reset();
  if (!options_.command.empty()) {
    auto child = Child::prepare(options_.command, signals);
    if (!child) return tell_error("{}", child.error().text());
    child_.emplace(std::move(*child));
  }
  auto made = Measurement::open(machine_, options_, queries_, child_ ? child_->pid() : -1);
  if (!made)
    return tell_error("{}{}", options_.of_cpus() ? "No supported events found: " : "",
                      made.error().text());
  measurement_.emplace(std::move(*made));
  if (const Error* const refusal = measurement_->refusal()) {  // perf runs nothing then, either
    failure_ = kPartial;
    return tell_error("No supported events found: {}", refusal->text());
  }
  // Rows with perf's default events say it; a program that expects perf may read this output.
  if (kept_.empty() && !options_.quiet && !(options_.of_default_events() && stands_for_perf()))
    measurement_->tell_problems();
  if (options_.starts_at_once() && !options_.of_command() && !start()) return false;
  start_clock();
  if (!child_) return true;
  if (const auto started = child_->release(); !started)
    return tell_error("{}: {}", options_.command.front(), started.error().message);
  return true;
}

bool Runs::start() {
  const auto done = measurement_->start();
  return done || tell_error("{}", done.error().text());
}

/// Counting begins now, or is waited for.
void Runs::start_clock() {
  const bool waits = !delayed_start_ && !options_.starts_at_once() && options_.delay != "-1";
  start_ = Clock::now();
  next_interval_.reset();
  deadline_.reset();
  delayed_start_.reset();
  if (waits) delayed_start_ = start_ + milliseconds(*parse_decimal(options_.delay));
  if (waits) return;
  if (options_.interval != 0) next_interval_ = start_ + milliseconds(options_.interval);
  if (options_.timeout != 0) deadline_ = start_ + milliseconds(options_.timeout);
}

/// Runs the command of --pre or --post. Returns false after reporting that it failed.
bool Runs::run_shell(const std::string& line, const AwaitedSignals& signals) {
  if (line.empty()) return true;
  auto child = Child::prepare({"/bin/sh", "-c", line}, signals);
  if (!child || !child->release()) return tell_error("{}: it can't be run", line);
  while (!child->ended()) handle(signals.next(until_next()), 0);
  if (child->status() == kDone) return true;
  failure_ = child->status();
  return tell_error("{}: exit status {}", line, failure_);
}

/// As perf, shows the counts until then, with -I.
void Runs::switch_events(bool on) {
  const auto done = on ? measurement_->start() : measurement_->stop();
  if (!done) faults_.tell("failed", done.error().text());
  if (options_.interval != 0 && sink_ == nullptr) show_interval();
}

/// Returns false for an unknown order, which gets no answer.
bool Runs::follow(std::string_view order) {
  if (order == "enable" || order == "disable") {
    switch_events(order == "enable");
  } else if (order == "stop") {
    is_ordered_to_stop_ = true;
  } else if (order == "evlist") {
    for (const Row& row : measurement_->rows(false)) tell_note("event {}", row.encoding->written());
  } else {
    return order == "ping";
  }
  return true;
}

void Runs::follow_orders() {
  control_.follow_orders([&](std::string_view order) { return follow(order); },
                         "enable, disable, evlist, ping and stop", is_ordered_to_stop_, faults_);
}

/// Waits until something has to be done.
int Runs::next_signal(const AwaitedSignals& signals, pid_t& sender) {
  if (control_.file() < 0) return signals.next(until_next(), &sender);
  pollfd wait{control_.file(), POLLIN, 0};
  (void)poll(&wait, 1, static_cast<int>(until_next()));
  follow_orders();
  return signals.next(0, &sender);
}

/// A terminal sends signals to the command, too.
void Runs::handle(int signal, pid_t sender) {
  if (signal != SIGINT && signal != SIGTERM && signal != SIGHUP) return;
  const bool again = stopped_by_ != 0;
  stopped_by_ = signal;
  if (!child_ || again) over_ = true;
  if (child_ && sender != 0) child_->send(signal);
}

unsigned Runs::until_next() const {
  constexpr unsigned kWatch = 100, kLong = 3'600'000;
  const bool watches = !child_ && (!options_.pids.empty() || !options_.tids.empty());
  auto wait = milliseconds(watches ? kWatch : kLong);
  for (const auto& time : {delayed_start_, next_interval_, deadline_})
    if (time) wait = std::min(wait, std::chrono::ceil<milliseconds>(*time - Clock::now()));
  return static_cast<unsigned>(std::max<milliseconds::rep>(wait.count(), 0));
}

bool Runs::targets_are_gone() const {
  const bool of_processes = !options_.pids.empty();
  const std::string& list = of_processes ? options_.pids : options_.tids;
  if (child_ || list.empty()) return false;
  std::vector<int> ids;
  append_numbers(list, ids);
  return std::ranges::none_of(ids, [&](int id) {
    return of_processes ? process_lives(id) : thread_lives(fmt::format("/proc/{}", id));
  });
}

void Runs::end_interval() {
  show_interval();
  // If this process was late, missed intervals are not printed: they would be empty.
  while (*next_interval_ <= Clock::now()) *next_interval_ += milliseconds(options_.interval);
  if (++intervals_ == options_.interval_count) next_interval_.reset();
}

void Runs::wait(const AwaitedSignals& signals) {
  over_ = !child_ && !measurement_->counts_something() && !options_.counts_nothing;
  while (!over_) {
    pid_t sender = 0;
    const int signal = next_signal(signals, sender);
    handle(signal, sender);
    if ((child_ && child_->ended()) || is_ordered_to_stop_) break;
    if (delayed_start_ && Clock::now() >= *delayed_start_) {
      if (!start()) break;
      start_clock();
    }
    if (deadline_ && Clock::now() >= *deadline_) {
      deadline_.reset();
      if (!child_) break;
      child_->send(SIGTERM);
    }
    if (next_interval_ && Clock::now() >= *next_interval_) end_interval();
    const bool is_last = intervals_ != 0 && !child_ && !next_interval_;
    if (is_last || targets_are_gone()) break;
  }
  end_ = Clock::now();
  over_ = true;
  next_interval_.reset();
  deadline_.reset();
  // A second signal ends the wait, not the command.
  if (child_ && !child_->ended()) child_->send(SIGTERM);
}

/// perf's own measurements of a command, and facts about the machine.
void Runs::set_own_events(std::vector<Row>& rows, bool of_interval) {
  constexpr double kNs = 1e9;
  const RunTimes now = times();
  const RunTimes before = of_interval ? shown_ : RunTimes{};
  const bool of_command = options_.of_command();
  const MetricFacts facts = MetricFacts::live(machine_);
  for (Row& row : rows) {
    if (row.encoding->pmu != "tool") continue;
    const std::string name(row.encoding->name);
    const ToolTime time = tool_time_of(*row.encoding);
    double value = -1;
    if (of_command && time != ToolTime::none) value = (now.of(time) - before.of(time)) * kNs;
    if (row.problem) {
      const double fact = facts.get("#" + name);
      if (std::isfinite(fact)) value = fact;
    }
    if (value < 0) continue;
    row.problem = nullptr;
    row.why.clear();
    row.counters = std::max<std::size_t>(row.counters, 1);
    row.value.scaled = value;
    row.value.value = static_cast<std::uint64_t>(std::llround(value));
    row.value.enabled = row.value.running =
        static_cast<std::uint64_t>(std::llround((now.elapsed - before.elapsed) * kNs));
  }
  if (of_interval) shown_ = now;
}

std::vector<Row> Runs::rows(bool of_interval) {
  if (const auto done = measurement_->sample(); !done) tell_error("{}", done.error().text());
  std::vector<Row> out = measurement_->rows(of_interval);
  if (options_.unscaled)
    for (Row& row : out) row.value.scaled = static_cast<double>(row.value.value);
  set_own_events(out, of_interval);
  is_counting_ |= out.empty() ||
                  std::ranges::any_of(out, [](const Row& row) { return row.problem == nullptr; });
  return out;
}

/// Rows of metrics come after rows of events, and show only their metrics.
StatReport Runs::report_of(std::vector<Row> rows, const RunTimes& times) const {
  StatReport report;
  if (metrics_ != nullptr) {
    const auto is_of = [](const PartMetrics& of, const Row& row) {
      return of.part == row.part && of.cgroup == row.cgroup;
    };
    for (const Row& row : rows)
      if (std::ranges::none_of(report.metrics, [&](const auto& of) { return is_of(of, row); }))
        report.metrics.push_back({std::string(row.part), std::string(row.cgroup), 0, {}});
    if (report.metrics.empty()) report.metrics.emplace_back();
    for (PartMetrics& of : report.metrics) {
      std::vector<Row> own;
      for (const Row& row : rows)
        if (is_of(of, row)) own.push_back(row);
      if (!own.empty()) of.counters = own.front().counters;
      of.rows = metrics_->values(own, first_metric_, times);
    }
  }
  report.rows = std::move(rows);
  if (options_.of_default_events()) set_figures(report.rows, queries_, times.elapsed);
  if (options_.hide_zero)
    std::erase_if(report.rows, [](const Row& row) { return !row.problem && row.value.value == 0; });
  return report;
}

void Runs::show_snapshot() {
  std::vector<Row> now = rows(false);
  shown_counts_.resize(now.size());
  for (std::size_t i = 0; i < now.size(); ++i)  // estimates may go back, counters may not
    now[i].value.scaled = shown_counts_[i] = std::max(shown_counts_[i], now[i].value.scaled);
  const std::string text = openmetrics_text(now, options_.per(), elapsed());
  if (options_.output.empty() || options_.output == "-")
    output_.write(text);
  else
    status_ = write_output(options_.output, text) ? status_ : kUnusable;
}

/// Adds the current counts to the recording, with those that evname counts itself.
void Runs::record(bool is_last) {
  if (file_ == nullptr) return;
  std::vector<sampling::PlaceCount> counts = measurement_->place_counts();
  const Counters::Place place =
      counts.empty() ? Counters::Place{.thread = child_ ? child_->pid() : -1} : counts[0].place;
  std::vector<Row> all = measurement_->rows(false);
  set_own_events(all, false);
  for (const Row& row : all)
    if (row.encoding->pmu == "tool" && row.is_counted())
      counts.push_back({row.encoding, place, row.value});
  const double seconds = options_.interval != 0 ? shown_.elapsed : elapsed();
  if (!counts.empty() && !file_->take(counts, seconds, is_last)) status_ = kUnusable;
}

void Runs::show_interval() {
  if (options_.openmetrics) return show_snapshot();
  const RunTimes before = shown_;
  std::vector<Row> now = rows(true);
  RunTimes times = shown_;
  times = {times.elapsed - before.elapsed, times.user - before.user, times.system - before.system};
  if (sink_ != nullptr) return sink_->take(now, shown_.elapsed, times);
  StatReport report = report_of(std::move(now), times);
  report.time = shown_.elapsed;
  if (!over_) record(false);
  if (options_.clears) output_.write("\033[H\033[J" + interval_heading(options_, shown_metrics()));
  output_.write(rows_text(report, options_));
}

/// The whole run, after its intervals.
void Runs::show_summary() {
  std::vector<Row> all = measurement_->rows(false);  // as of the last interval
  set_own_events(all, false);
  const RunTimes whole = times();
  StatReport report = report_of(std::move(all), whole);
  report.is_summary = true;
  output_.write(rows_text(report, options_) + run_footing(options_, whole, 0));
}

void Runs::end_run() {
  if (const auto done = measurement_->stop(); !done) tell_error("{}", done.error().text());
  if (child_) {
    status_ = child_->status();
    if (const int signal = child_->killed_by(); signal != 0 && stopped_by_ == 0)
      to_stderr(fmt::format("{}: {}\n", escaped(options_.command.front()), strsignal(signal)));
  }
  const bool has_all_intervals = intervals_ != 0 && intervals_ == options_.interval_count;
  if (options_.interval != 0) {
    if (!has_all_intervals) show_interval();
    if (options_.summary && !options_.openmetrics) show_summary();
  } else if (options_.openmetrics) {
    show_snapshot();
  } else if (sink_ != nullptr) {
    sink_->take(rows(false), std::nullopt, times());
  } else {
    kept_times_.push_back(times());
    kept_.push_back(rows(false));
  }
  if (!has_all_intervals) record(true);
  if (options_.interval == 0 && !first_) first_ = std::move(measurement_);
}

std::vector<Row> Runs::mean_rows() const {
  std::vector<Row> out = kept_.front();
  if (options_.repeat == 1) return out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::vector<double> values;
    CounterValue sum;
    for (const std::vector<Row>& run : kept_) {
      if (i >= run.size() || !run[i].is_counted()) continue;
      values.push_back(run[i].value.scaled);
      sum += run[i].value;
    }
    out[i].noise = 0;
    if (values.empty()) continue;
    const Spread spread = spread_of(values);
    out[i].value = {sum.value / values.size(), sum.enabled / values.size(),
                    sum.running / values.size(), spread.mean};
    out[i].noise = spread.mean == 0 ? 0 : 100 * spread.error / spread.mean;
    out[i].why.clear();
  }
  return out;
}

void Runs::show_all() {
  if (kept_.empty()) return;
  std::vector<double> elapsed;
  RunTimes mean;
  for (const RunTimes& one : kept_times_) {
    elapsed.push_back(one.elapsed);
    mean.user += one.user / static_cast<double>(kept_times_.size());
    mean.system += one.system / static_cast<double>(kept_times_.size());
  }
  const Spread spread = spread_of(elapsed);
  mean.elapsed = spread.mean;
  StatReport report = report_of(mean_rows(), mean);
  report.is_summary = options_.summary;
  output_.write(run_heading(options_) + columns_heading(options_, shown_metrics()) +
                rows_text(report, options_) + run_footing(options_, mean, spread.error, elapsed));
}

std::vector<const MetricInfo*> Runs::shown_metrics() const {
  return metrics_ == nullptr ? std::vector<const MetricInfo*>() : metrics_->metrics();
}

bool Runs::run_once(const AwaitedSignals& signals) {
  if (!run_shell(options_.before, signals)) return false;
  if (options_.syncs) ::sync();
  if (!begin(signals)) return false;
  wait(signals);
  while (child_ && !child_->ended()) (void)signals.next(until_next());
  end_run();
  return status_ != kDone || run_shell(options_.after, signals);
}

bool Runs::finish() {
  if (sink_ != nullptr) return sink_->end(stopped_by_ != 0);
  show_all();
  const bool is_recorded = file_ == nullptr || file_->finish();
  return output_.finish() && is_recorded;
}

int Runs::run_all() {
  if (sink_ == nullptr && !output_.open(options_)) return kUnusable;
  bool finished = false;
  {
    const AwaitedSignals signals;
    allow_many_files();
    if (!options_.control.empty() && !control_.open(options_.control, signals.file()))
      return kUnusable;
    if (options_.interval != 0 && sink_ == nullptr)
      output_.write(interval_heading(options_, shown_metrics()));
    for (unsigned run = 0; run < options_.repeat && stopped_by_ == 0; ++run)
      if (!run_once(signals)) return failure_;
    faults_.tell_rest();
    finished = finish();
  }
  const int status = status_ == kDone && !is_counting_ ? kPartial : status_;
  const int code = finished ? status : kUnusable;
  if (stopped_by_ != 0) {  // as if it had not been caught
    finish_output(code);
    std::signal(stopped_by_, SIG_DFL);
    raise(stopped_by_);
  }
  return code;
}

}  // namespace evname::tools
