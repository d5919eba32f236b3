#include "evname/report.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "perfdata/session/event_sums.hpp"
#include "perfdata/session/processes.hpp"
#include "recording/perf_data_state.hpp"

namespace evname::report {
namespace {

struct KeyRow {
  SortKey key;
  std::string_view name;
  std::string (*text)(const PerfData& file, const Sample& sample);
};

template <class T>
std::string number_or_dash(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "-";
}

constexpr KeyRow kKeys[] = {
    {SortKey::event, "event",
     [](const PerfData&, const Sample& s) { return s.event().full_name(); }},
    {SortKey::file, "file", [](const PerfData& f, const Sample&) { return f.facts().path; }},
    {SortKey::pmu, "pmu", [](const PerfData&, const Sample& s) { return s.event().pmu; }},
    {SortKey::comm, "comm",
     [](const PerfData&, const Sample& s) { return std::string(s.tid() ? s.comm() : "-"); }},
    {SortKey::pid, "pid", [](const PerfData&, const Sample& s) { return number_or_dash(s.pid()); }},
    {SortKey::tid, "tid", [](const PerfData&, const Sample& s) { return number_or_dash(s.tid()); }},
    {SortKey::cpu, "cpu", [](const PerfData&, const Sample& s) { return number_or_dash(s.cpu()); }},
};

std::string all_names() {
  std::string names;
  for (const KeyRow& row : kKeys) (names += names.empty() ? "" : ", ") += row.name;
  return names;
}

/// Keys that are the same for all samples of an event.
bool is_of_event(SortKey key) {
  return key == SortKey::event || key == SortKey::file || key == SortKey::pmu;
}

/// Bins twice as wide until `time` has one.
void widen(Histogram& histogram, std::uint64_t time) {
  while ((time - histogram.first) / histogram.width >= Histogram::kBins) {
    histogram.width *= 2;
    for (Histogram::Series& series : histogram.events)
      for (auto* bins : {&series.samples, &series.periods}) {
        for (std::size_t i = 0; i < Histogram::kBins / 2; ++i)
          (*bins)[i] = (*bins)[2 * i] + (*bins)[2 * i + 1];
        std::fill(bins->begin() + Histogram::kBins / 2, bins->end(), 0);
      }
  }
}

}  // namespace

/// One file on its way into a report.
class Pass final : public perfdata::session::SampleSink {
 public:
  Pass(Report& report, const PerfData& file)
      : report_(report),
        file_(file),
        swapped_(detail::state_of(file).file.header.order != std::endian::native),
        passes_(report.options_.filter.events(file)),
        plain_(std::all_of(report.options_.keys.begin(), report.options_.keys.end(), is_of_event)),
        filters_(!report.options_.filter.passes_all()) {
    for (const ReportEvent& known : report.events_)
      known_events_.emplace(joined({known.event.full_name(), known.event.pmu}),
                            known_events_.size());
    for (const RecordedEvent& event : file.events()) {
      events_.push_back(event_index(event));
      if (passes_[event.attr]) report.wanted_[events_.back()] = true;
    }
    row_of_event_.assign(events_.size(), kNone);
    for (std::size_t i = 0; i < report.rows_.size(); ++i)
      rows_.emplace(joined(report.rows_[i].keys), i);
    if (plain_)  // an event without samples has a row, too
      for (const perfdata::Event& event : detail::state_of(file).file.events.list())
        row_without_sample(&event);
    if (report.options_.histogram)
      report.histogram_.events.resize(report.events_.size(),
                                      {std::vector<std::uint64_t>(Histogram::kBins),
                                       std::vector<std::uint64_t>(Histogram::kBins)});
  }

  /// Is what all samples of an event add up to all that is asked for?
  bool wants_sums() const {
    const ReportOptions& options = report_.options_;
    return plain_ && !filters_ && !options.histogram && !options.pass.salvage;
  }

  /// Is it asked for what depends on the order of samples: how threads are called, how time goes
  /// by?
  bool wants_order() const {
    const ReportOptions& options = report_.options_;
    return options.histogram || !options.filter.comms.empty() ||
           std::find(options.keys.begin(), options.keys.end(), SortKey::comm) != options.keys.end();
  }

  void add(const perfdata::session::Sums& sums) {
    for (std::size_t attr = 0; attr < sums.events.size(); ++attr) {
      const perfdata::session::EventSums& from = sums.events[attr];
      if (!passes_[attr]) continue;
      ReportRow& row = *row_without_sample(&detail::state_of(file_).file.events.list()[attr]);
      row.samples += from.samples;
      row.period += from.period;
      row.first = std::min(row.first, from.first);
      row.last = std::max(row.last, from.last);
      row.lost += from.lost;
      row.throttled += from.throttled;
      report_.samples_ += from.samples;
      report_.events_[events_[attr]].samples += from.samples;
      report_.events_[events_[attr]].period += from.period;
    }
  }

  bool sample(const perfdata::session::SampleView& view) override {
    const std::size_t attr = attr_of(view.event);
    if (!passes_[attr]) return true;
    const detail::SampleRef ref{file_.events()[attr], view, swapped_};
    const Sample sample = detail::sample_of(ref);
    if (filters_ && !report_.options_.filter.accepts(sample)) return true;
    const std::uint64_t period = view.core.period;
    ReportRow& row = report_.rows_[row_of(sample, attr)];
    ++row.samples;
    row.period += period;
    ++report_.samples_;
    ReportEvent& event = report_.events_[events_[attr]];
    ++event.samples;
    event.period += period;
    if (!view.event.attr.samples(perfdata::kSampleTime)) return true;
    row.first = std::min(row.first, view.core.time);
    row.last = std::max(row.last, view.core.time);
    if (report_.options_.histogram) add_to_histogram(events_[attr], view.core.time, period);
    return true;
  }

  void lost(const perfdata::Event* event, std::uint64_t count) override {
    if (ReportRow* row = row_without_sample(event)) row->lost += count;
  }
  void throttled(const perfdata::Event* event) override {
    if (ReportRow* row = row_without_sample(event)) ++row->throttled;
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  std::size_t attr_of(const perfdata::Event& event) const {
    return static_cast<std::size_t>(&event - detail::state_of(file_).file.events.list().data());
  }

  std::size_t event_index(const RecordedEvent& event) {
    auto& events = report_.events_;
    const auto [at, is_new] =
        known_events_.try_emplace(joined({event.full_name(), event.pmu}), events.size());
    if (is_new) {
      events.push_back({event});
      report_.wanted_.push_back(false);
    }
    return at->second;
  }

  static std::string joined(const std::vector<std::string>& keys) {
    std::string text;
    for (const std::string& key : keys) (text += key) += '\0';
    return text;
  }

  std::size_t row_of(const Sample& sample, std::size_t attr) {
    if (plain_ && row_of_event_[attr] != kNone) return row_of_event_[attr];
    std::vector<std::string> keys;
    for (const SortKey key : report_.options_.keys)
      keys.push_back(kKeys[static_cast<std::size_t>(key)].text(file_, sample));
    const auto [at, is_new] = rows_.try_emplace(joined(keys), report_.rows_.size());
    if (is_new) {
      report_.rows_.push_back({.keys = std::move(keys)});
      report_.row_events_.push_back(events_[attr]);
    }
    if (plain_) row_of_event_[attr] = at->second;
    return at->second;
  }

  ReportRow* row_without_sample(const perfdata::Event* event) {
    if (!plain_ || !event || !passes_[attr_of(*event)]) return nullptr;
    static const perfdata::SampleCore kCore;
    static const perfdata::SampleTail kTail;
    const perfdata::session::AddressMaps maps;
    const perfdata::session::SampleView view{*event, kCore, kTail, "", {}, maps};
    const std::size_t attr = attr_of(*event);
    const detail::SampleRef ref{file_.events()[attr], view, swapped_};
    return &report_.rows_[row_of(detail::sample_of(ref), attr)];
  }

  void add_to_histogram(std::size_t event, std::uint64_t time, std::uint64_t period) {
    Histogram& histogram = report_.histogram_;
    if (!std::exchange(report_.has_first_, true)) histogram.first = time;
    // What comes late or from an earlier file is shown at the start.
    const std::uint64_t at = std::max(time, histogram.first);
    widen(histogram, at);
    const std::size_t bin = (at - histogram.first) / histogram.width;
    ++histogram.events[event].samples[bin];
    histogram.events[event].periods[bin] += period;
  }

  Report& report_;
  const PerfData& file_;
  bool swapped_;
  std::vector<bool> passes_;         ///< the filter, by attr
  bool plain_;                       ///< an event has one row
  bool filters_;                     ///< samples are looked at one by one
  std::vector<std::size_t> events_;  ///< of the report, by attr
  std::vector<std::size_t> row_of_event_;
  std::unordered_map<std::string, std::size_t> known_events_;  ///< those of the report
  std::unordered_map<std::string, std::size_t> rows_;
};

}  // namespace evname::report

namespace evname {

Result<std::vector<SortKey>> parse_sort_keys(std::string_view text) {
  std::vector<SortKey> keys;
  for (std::string_view word : split(text, ',')) {
    const auto* row = std::find_if(std::begin(report::kKeys), std::end(report::kKeys),
                                   [&](const report::KeyRow& known) { return known.name == word; });
    if (row == std::end(report::kKeys))
      return fail(Errc::invalid_argument, fmt::format("no key '{}'", word), "",
                  report::all_names());
    if (std::find(keys.begin(), keys.end(), row->key) == keys.end()) keys.push_back(row->key);
  }
  return keys;
}

std::vector<std::string_view> sort_key_names() {
  std::vector<std::string_view> names;
  for (const report::KeyRow& row : report::kKeys) names.push_back(row.name);
  return names;
}

Report::Report(ReportOptions options) : options_(std::move(options)) {}

SampleTally Report::add(const PerfData& file) {
  const std::uint64_t before = samples_;
  SampleTally tally = read(file);
  tally.selected = samples_ - before;
  return tally;
}

SampleTally Report::read(const PerfData& file) {
  report::Pass pass(*this, file);
  if (pass.wants_sums())
    if (const auto sums = perfdata::session::sum_up(
            detail::state_of(file).file,
            {.jobs = recording::jobs_of(options_.pass), .progress = options_.pass.progress})) {
      pass.add(*sums);
      return recording::tally_of(*sums);
    }
  auto how = recording::session_options(options_.pass);
  if (!pass.wants_order()) how.order = perfdata::session::Order::file;
  return recording::tally_of(
      perfdata::session::Session(detail::state_of(file).file, pass, how).run());
}

bool Report::has_key(SortKey key) const {
  return std::find(options_.keys.begin(), options_.keys.end(), key) != options_.keys.end();
}

/// A row for each event that has none: no sample says of which thread or CPU it could be.
void Report::add_empty_events(std::vector<ReportRow>* rows,
                              std::vector<std::size_t>* owners) const {
  std::vector<bool> has_row(events_.size());
  for (const std::size_t owner : *owners) has_row[owner] = true;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (has_row[i] || !wanted_[i]) continue;
    ReportRow row;
    for (const SortKey key : options_.keys)
      row.keys.push_back(key == SortKey::event ? events_[i].event.full_name()
                         : key == SortKey::pmu ? events_[i].event.pmu
                                               : "-");
    rows->push_back(std::move(row));
    owners->push_back(i);
  }
}

std::vector<ReportRow> Report::rows() const {
  std::vector<ReportRow> rows = rows_;
  std::vector<std::size_t> owners = row_events_;
  const bool by_event = has_key(SortKey::event), of_event = by_event && options_.keys.size() > 1;
  if (by_event) add_empty_events(&rows, &owners);
  std::vector<std::size_t> order(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    order[i] = i;
    rows[i].of = of_event ? events_[owners[i]].samples : samples_;
    rows[i].share =
        rows[i].of > 0 ? static_cast<double>(rows[i].samples) / static_cast<double>(rows[i].of) : 0;
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (of_event && owners[a] != owners[b]) {
      const ReportEvent &one = events_[owners[a]], &other = events_[owners[b]];
      if (one.samples != other.samples) return one.samples > other.samples;
      const std::string name = one.event.full_name(), second = other.event.full_name();
      return name != second ? name < second : owners[a] < owners[b];
    }
    return rows[a].samples != rows[b].samples ? rows[a].samples > rows[b].samples
                                              : rows[a].keys < rows[b].keys;
  });
  std::vector<ReportRow> out;
  for (const std::size_t i : order) out.push_back(std::move(rows[i]));
  return out;
}

}  // namespace evname
