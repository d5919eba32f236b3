#pragma once
// Runs of `evname stat`: counters around a command, or around a time.

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "evname/machine.hpp"
#include "record/control.hpp"
#include "stat/child.hpp"
#include "stat/counts_file.hpp"
#include "stat/measurement.hpp"
#include "stat/metric_rows.hpp"
#include "stat/options.hpp"
#include "stat/rows_text.hpp"

namespace evname::tools {

/// The output of counts: standard error, or the file of -o.
class CountOutput {
 public:
  CountOutput() = default;
  CountOutput(const CountOutput&) = delete;
  ~CountOutput();
  /// Returns false after reporting why not.
  bool open(const StatOptions& options);
  void write(const std::string& text);
  /// Returns false after reporting that not everything could be written.
  bool finish();

 private:
  std::string path_;
  int file_ = -1;
  bool failed_ = false, is_ours_ = true, is_quiet_ = false;
};

/// Receives counts instead of CountOutput.
class CountSink {
 public:
  virtual ~CountSink() = default;
  /// Receives the counts of a whole run, or of the interval that ends at `time`, and its `times`.
  virtual void take(std::span<const Row> rows, std::optional<double> time,
                    const RunTimes& times) = 0;
  /// All runs are over, or a signal has `stopped` them. Returns false if not all could be written.
  virtual bool end(bool stopped) = 0;
};

/// One or several runs with the same counters.
class Runs {
 public:
  Runs(const Machine& machine, const StatOptions& options, std::span<const Query> queries,
       const MetricRows* metrics, std::size_t first_metric)
      : machine_(machine),
        options_(options),
        queries_(queries),
        metrics_(metrics),
        first_metric_(first_metric) {}

  void hand_to(CountSink& sink) { sink_ = &sink; }
  void record_to(CountsFile& file) { file_ = &file; }

  /// The exit code of the last command, if there is one.
  int run_all();

 private:
  using Clock = std::chrono::steady_clock;

  /// Returns false after reporting why it could not run.
  bool run_once(const AwaitedSignals& signals);
  bool begin(const AwaitedSignals& signals);
  void wait(const AwaitedSignals& signals);
  bool start();
  void start_clock();
  bool run_shell(const std::string& line, const AwaitedSignals& signals);
  int next_signal(const AwaitedSignals& signals, pid_t& sender);
  void follow_orders();
  bool follow(std::string_view order);
  void switch_events(bool on);
  void handle(int signal, pid_t sender);
  unsigned until_next() const;
  bool targets_are_gone() const;
  void show_interval();
  void end_interval();
  void record(bool is_last);
  void show_summary();
  void end_run();
  void show_all();
  void show_snapshot();
  bool finish();
  double elapsed() const;
  RunTimes times() const;
  std::vector<Row> rows(bool of_interval);
  void set_own_events(std::vector<Row>& rows, bool of_interval);
  StatReport report_of(std::vector<Row> rows, const RunTimes& times) const;
  std::vector<Row> mean_rows() const;
  std::vector<const MetricInfo*> shown_metrics() const;

  const Machine& machine_;
  const StatOptions& options_;
  std::span<const Query> queries_;
  const MetricRows* metrics_;
  std::size_t first_metric_;  ///< query

  CountOutput output_;
  CountSink* sink_ = nullptr;   ///< nullptr: counts are written to `output_`
  CountsFile* file_ = nullptr;  ///< nullptr: counts are not recorded
  std::optional<Measurement> measurement_;
  std::optional<Child> child_;
  Clock::time_point start_, end_;
  std::optional<Clock::time_point> delayed_start_, next_interval_, deadline_;
  Control control_;
  OrderFaults faults_;
  bool is_ordered_to_stop_ = false;
  unsigned intervals_ = 0;              ///< shown
  RunTimes shown_;                      ///< at the end of the last interval
  std::vector<double> shown_counts_;    ///< of the last snapshot
  std::vector<std::vector<Row>> kept_;  ///< of each run
  std::vector<RunTimes> kept_times_;
  std::optional<Measurement> first_;  ///< the kept rows have its events
  int status_ = 0, stopped_by_ = 0;
  int failure_ = kUnusable;  ///< the exit code if nothing runs
  bool over_ = false;
  bool is_counting_ = false;  ///< an event could be counted, or there were no events
};

}  // namespace evname::tools
