// The counts of a `perf stat record` file, and the facts for metrics in its features. Source of the
// records' layout and meaning: perf, lib/perf/include/perf/event.h and builtin-stat.c.

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/text.hpp"
#include "events/metrics/count_lines.hpp"
#include "events/metrics/facts.hpp"
#include "events/syntax/kernel_names.hpp"
#include "evname/metric.hpp"
#include "evname/recording.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "recordings/perf_data/recording_state.hpp"

namespace evname {
namespace {

constexpr std::uint32_t kAnyCpu = UINT32_MAX;

/// enum aggr_mode of perf, util/stat.h, from that version on (major, minor). AGGR_UNSET is missing
/// at the end: nothing is recorded with it.
struct Modes {
  unsigned major, minor;
  std::vector<CountsPer> meanings;
};

const Modes& modes_of(unsigned major, unsigned minor) {
  using enum CountsPer;
  static const Modes kModes[] = {
      {6, 9, {cpu, total, socket, die, recorded, recorded, core, thread}},  // cluster, cache
      {6, 5, {cpu, total, socket, die, recorded, core, thread}},            // cache
      {5, 2, {cpu, total, socket, die, core, thread}},
      {0, 0, {cpu, total, socket, core, thread}},
  };
  for (const Modes& modes : kModes)
    if (std::pair(major, minor) >= std::pair(modes.major, modes.minor)) return modes;
  return kModes[0];
}

/// "6.1.192" as 6 and 1; the newest for a text that is not a version.
std::pair<unsigned, unsigned> version_of(std::string_view text) {
  unsigned major = 99, minor = 0;
  const auto [dot, error] = std::from_chars(text.data(), text.data() + text.size(), major);
  if (error == std::errc() && dot != text.data() + text.size() && *dot == '.')
    std::from_chars(dot + 1, text.data() + text.size(), minor);
  return {major, minor};
}

/// Returns the meaning of enum aggr_mode in the perf of that version. An unknown mode is the total,
/// with a warning.
CountsPer recorded_aggregation(std::uint64_t mode, std::string_view perf_version,
                               std::vector<std::string>& warnings) {
  const auto [major, minor] = version_of(perf_version);
  const std::vector<CountsPer>& meanings = modes_of(major, minor).meanings;
  if (mode < meanings.size() && meanings[mode] != CountsPer::recorded) return meanings[mode];
  warnings.push_back(
      fmt::format("the aggregation mode {} of the recording is not known; all is summed up", mode));
  return CountsPer::total;
}

/// "CPU3", "S0-D0-C1"; empty for the total.
std::string place_name(CountsPer per, std::uint32_t cpu, const perf_format::CpuTopology& topology) {
  if (per == CountsPer::total || per == CountsPer::thread || cpu == kAnyCpu) return {};
  if (per == CountsPer::cpu) return fmt::format("CPU{}", cpu);
  perf_format::CpuTopology::Cpu at;
  if (cpu < topology.cpus.size()) at = topology.cpus[cpu];
  if (per == CountsPer::socket) return fmt::format("S{}", at.socket);
  if (per == CountsPer::die) return fmt::format("S{}-D{}", at.socket, at.die);
  return fmt::format("S{}-D{}-C{}", at.socket, at.die, at.core);
}

constexpr std::uint32_t kThreadMap = 73, kStatConfig = 75, kStat = 76, kStatRound = 77;
constexpr std::uint64_t kTagAggregation = 0, kTagInterval = 1, kTagScale = 2;

struct Reading {
  std::uint64_t value = 0, enabled = 0, running = 0;
};

/// Returns the count between two readings, extrapolated as perf does unless it ran with --no-scale.
CountedEvent difference(const Reading& now, const Reading& before, bool scales) {
  CountedEvent out;
  const std::uint64_t enabled = now.enabled - before.enabled;
  const std::uint64_t running = now.running - before.running;
  out.enabled = enabled;
  out.ran = running;
  out.counters = 1;
  if (running == 0 || now.value < before.value) return out;
  out.value = static_cast<double>(now.value - before.value);
  if (running >= enabled) return out;
  out.running = static_cast<double>(running) / static_cast<double>(enabled);
  if (scales) out.value = out.value * static_cast<double>(enabled) / static_cast<double>(running);
  return out;
}

/// Returns the recorded names of events of several PMUs: boxes or core PMUs.
std::set<std::string> names_of_several_pmus(const Recording& file) {
  std::map<std::string, std::string_view> pmus;
  std::set<std::string> out;
  for (const RecordedEvent& event : file.events())
    if (const auto [at, is_new] = pmus.try_emplace(event.recorded_name, event.pmu);
        !is_new && at->second != event.pmu)
      out.insert(event.recorded_name);
  return out;
}

/// Assigns counts to the events that perf measures itself. These have no id, and their counts have
/// id 0: all counts of the first such event come before the counts of the next.
class EventsWithoutId {
 public:
  explicit EventsWithoutId(const perf_format::Events& events) {
    for (std::size_t i = 0; i < events.recorded(); ++i)
      if (events.list()[i].ids.empty()) indexes_.push_back(i);
  }
  bool empty() const { return indexes_.empty(); }
  std::size_t index_of_next(std::uint32_t cpu, std::uint32_t thread) {
    const std::pair place(thread, cpu);
    if (last_ && *last_ >= place && next_ + 1 < indexes_.size()) ++next_;
    last_ = place;
    return indexes_[next_];
  }
  void end_round() {
    next_ = 0;
    last_.reset();
  }

 private:
  std::vector<std::size_t> indexes_;
  std::size_t next_ = 0;
  std::optional<std::pair<std::uint32_t, std::uint32_t>> last_;
};

/// One counter of an event, with the file's indexes of CPU and thread.
struct Place {
  std::size_t event;
  std::uint32_t cpu, thread;
  auto operator<=>(const Place&) const = default;
};

class Collector {
 public:
  Collector(const Recording& file, CountsPer per)
      : file_(file),
        per_(per),
        several_pmus_(names_of_several_pmus(file)),
        without_id_(detail::state_of(file).file.events) {}

  Counts run();

 private:
  void take(const perf_format::Record& record, std::endian order);
  void take_threads(Cursor in);
  void take_config(Cursor in);
  void take_stat(Cursor in);
  void end_round(Cursor in);
  std::string place_of(const Place& place) const;
  void add_duration(std::uint64_t elapsed, std::optional<double> time);
  void warn_of_what_is_left_out();

  const Recording& file_;
  CountsPer per_;
  std::set<std::string> several_pmus_;
  EventsWithoutId without_id_;
  metrics::CountTable table_;
  Counts& out_ = table_.counts();
  std::uint64_t interval_ = 0;  ///< ms; 0: the whole run is counted at once
  bool one_task_ = false;
  std::vector<std::string> threads_;  ///< "sleep-123"
  std::map<Place, Reading> now_;      ///< read since the last round
  std::map<Place, Reading> before_;   ///< as it was read last; only if there are intervals
  std::uint64_t last_round_ = 0;      ///< ns
  bool scales_ = true;
  std::uint64_t short_records_ = 0, of_no_event_ = 0;
};

void Collector::take_threads(Cursor in) {
  const std::uint64_t count = in.u64();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    const auto pid = static_cast<std::int64_t>(in.u64());
    const std::string_view comm = in.text(16);
    if (!in.ok()) break;
    one_task_ |= pid >= 0;
    threads_.push_back(fmt::format("{}-{}", comm, pid));
  }
  short_records_ += !in.ok();
}

void Collector::take_config(Cursor in) {
  const std::uint64_t count = in.u64();
  for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
    const std::uint64_t tag = in.u64(), value = in.u64();
    if (!in.ok()) break;
    if (tag == kTagInterval) interval_ = value;
    if (tag == kTagScale) scales_ = value != 0;
    if (tag == kTagAggregation && per_ == CountsPer::recorded)
      per_ = recorded_aggregation(value, perf_data::features_of(file_).version, out_.warnings);
  }
  short_records_ += !in.ok();
}

void Collector::take_stat(Cursor in) {
  const std::uint64_t id = in.u64();
  const std::uint32_t cpu = in.u32(), thread = in.u32();
  const Reading reading{in.u64(), in.u64(), in.u64()};
  const perf_format::Events& events = detail::state_of(file_).file.events;
  const bool has_id = id != 0 || without_id_.empty();
  const perf_format::Event* event =
      has_id ? events.of_id(id) : &events.list()[without_id_.index_of_next(cpu, thread)];
  if (!in.ok())
    ++short_records_;
  else if (event == nullptr)
    ++of_no_event_;
  else
    now_[{events.index_of(*event), cpu, thread}] = reading;
}

std::string Collector::place_of(const Place& place) const {
  if (per_ == CountsPer::thread)
    return place.thread < threads_.size() ? threads_[place.thread]
                                          : fmt::format("thread {}", place.thread);
  return place_name(per_, place.cpu, perf_data::features_of(file_).topology);
}

/// Adds duration_time as perf computes it if the file does not hold it.
void Collector::add_duration(std::uint64_t elapsed, std::optional<double> time) {
  for (auto at = out_.groups.rbegin(); at != out_.groups.rend() && at->time == time; ++at) {
    CountGroup& group = *at;
    group.seconds = static_cast<double>(elapsed) * 1e-9;
    const auto is_duration = [](const CountedEvent& one) { return one.event == "duration_time"; };
    if (std::ranges::none_of(group.counts, is_duration))
      group.counts.push_back({{.value = static_cast<double>(elapsed)}, "duration_time", {}, "ns"});
  }
}

void Collector::end_round(Cursor in) {
  in.skip(8);  // the type: interval or final
  const std::uint64_t time = in.u64();
  if (!in.ok()) {
    ++short_records_;
    return;
  }
  std::optional<double> at;
  if (interval_ > 0) at = static_cast<double>(time) * 1e-9;
  std::map<std::pair<std::string, std::size_t>, CountedEvent> sums;
  for (const auto& [place, reading] : now_) {
    const auto before = before_.find(place);
    const CountedEvent counted =
        difference(reading, before == before_.end() ? Reading{} : before->second, scales_);
    const auto [sum, is_new] = sums.try_emplace({place_of(place), place.event}, counted);
    if (is_new) continue;
    sum->second.enabled += counted.enabled;
    sum->second.ran += counted.ran;
    ++sum->second.counters;
    if (!counted.is_counted()) continue;
    sum->second.value =
        sum->second.is_counted() ? sum->second.value + counted.value : counted.value;
    sum->second.running = std::min(sum->second.running, counted.running);
  }
  for (auto& [key, counted] : sums) {
    const RecordedEvent& event = file_.events()[key.second];
    counted.event = event.recorded_name;
    if (several_pmus_.contains(event.recorded_name)) counted.pmu = event.pmu;
    constexpr std::uint64_t kSystemTime = 3;  // the last that is a time
    if (const auto tool = syntax::tool_config(counted.event); tool && *tool <= kSystemTime)
      counted.unit = "ns";
    table_.add({at, key.first, std::move(counted)});
  }
  if (time > last_round_) add_duration(time - last_round_, at);
  last_round_ = time;
  if (interval_ > 0)
    for (const auto& [place, reading] : now_) before_[place] = reading;
  now_.clear();
  without_id_.end_round();
}

void Collector::take(const perf_format::Record& record, std::endian order) {
  const Cursor in(record.body(), order);
  if (record.type == kThreadMap) take_threads(in);
  if (record.type == kStatConfig) take_config(in);
  if (record.type == kStat) take_stat(in);
  if (record.type == kStatRound) end_round(in);
}

void Collector::warn_of_what_is_left_out() {
  const auto add = [&](std::uint64_t count, std::string_view one, std::string_view many) {
    if (count > 0) out_.warnings.push_back(counted(count, one, many));
  };
  add(of_no_event_, "count is of no event of the file, and left out",
      "counts are of no event of the file, and left out");
  add(short_records_, "record of counts is too short, and left out",
      "records of counts are too short, and left out");
  add(now_.size(), "count is of a round that did not end, and left out",
      "counts are of a round that did not end, and left out");
}

Counts Collector::run() {
  const stream::File& file = detail::state_of(file_).file;
  session::RecordCursor cursor(file, {.file_order = true});
  while (cursor.next())
    if (!cursor.is_sample()) take(cursor.record(), file.header.order);
  for (std::string& warning : cursor.tally().warnings) out_.warnings.push_back(std::move(warning));
  warn_of_what_is_left_out();
  out_.whole_cores = !threads_.empty() && !one_task_;
  return table_.take();
}

}  // namespace

Result<Counts> read_counts(const Recording& file, CountsPer per) {
  Counts counts = Collector(file, per).run();
  if (counts.empty())
    return fail(Errc::invalid_argument, "the file has no counts; perf stat record writes them",
                file.facts().path);
  return counts;
}

MetricFacts recorded_facts(const Recording& file) {
  MetricFacts facts(file.machine());
  const perf_format::Features& features = perf_data::features_of(file);
  const perf_format::CpuTopology& topology = features.topology;
  const auto known = [](std::size_t count) {
    return count > 0 ? static_cast<double>(count) : std::numeric_limits<double>::quiet_NaN();
  };
  facts.set("#num_cpus", known(features.cpus_available));
  facts.set("#num_cpus_online", known(features.cpus_online));
  facts.set("#num_packages", known(topology.packages.size()));
  facts.set("#num_cores", known(topology.threads.size()));
  const std::string& arch = file.machine().cpu().arch;
  facts.set("#num_dies", metrics::has_dies(arch) ? known(topology.dies.size()) : 0);
  if (!topology.threads.empty())
    facts.set("#smt_on", std::ranges::any_of(topology.threads, metrics::names_several));
  facts.set("#system_tsc_freq",
            arch == "x86" ? metrics::named_tsc_frequency(features.cpu_desc) : 0);
  return facts;
}

}  // namespace evname
