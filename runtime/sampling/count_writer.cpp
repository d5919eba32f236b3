#include "sampling/count_writer.hpp"

#include <linux/perf_event.h>

#include <algorithm>

#include "counting/counter_sets.hpp"
#include "evname/attr.hpp"
#include "perf_format/record.hpp"
#include "sampling/existing.hpp"

namespace evname::sampling {
namespace {

using namespace perf_format;

constexpr std::uint64_t kUpdateUnit = 0, kUpdateScale = 1;
constexpr std::size_t kLongestComm = 16;

std::string record(std::uint32_t type, const ByteWriter& body) {
  return make_record(std::endian::native, type, 0, body.bytes());
}

std::string attr_of(const Encoding& event, bool as_stream) {
  perf_event_attr attr{};
  attr.size = counting::attr_size_for(event.code);
  attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  attr.disabled = attr.inherit = true;
  if (!as_stream) attr.sample_type = PERF_SAMPLE_IDENTIFIER;
  counting::AttrBytes bytes{};
  counting::store(bytes, attr);
  (void)fill_attr(event, bytes.data(), bytes.size());  // the type is known, the size right
  return {reinterpret_cast<const char*>(bytes.data()), attr.size};
}

/// The unit of counts, and their scale.
std::string updates_of(const Encoding& event, std::uint64_t id) {
  std::string out;
  if (!event.unit.empty()) {
    ByteWriter body(std::endian::native);
    body.u64(kUpdateUnit);
    body.u64(id);
    body.text(event.unit, 8);
    out += record(kRecordEventUpdate, body);
  }
  if (event.scale == 1) return out;
  ByteWriter body(std::endian::native);
  body.u64(kUpdateScale);
  body.u64(id);
  body.u64(std::bit_cast<std::uint64_t>(event.scale));
  return out + record(kRecordEventUpdate, body);
}

std::string thread_map(std::span<const int> threads) {
  ByteWriter body(std::endian::native);
  body.u64(threads.size());
  for (const int thread : threads) {
    const std::string name = thread < 0 ? std::string() : name_of_thread({}, thread);
    body.u64(static_cast<std::uint64_t>(std::int64_t{thread}));
    body.raw(std::string_view(name).substr(0, kLongestComm - 1));
    body.zeros(kLongestComm - std::min(name.size(), kLongestComm - 1));
  }
  return record(kRecordThreadMap, body);
}

/// -1 stands for any CPU.
std::string cpu_map(std::span<const Counters::Place> places) {
  std::vector<int> cpus;
  for (const Counters::Place& place : places) cpus.push_back(place.cpu);
  std::ranges::sort(cpus);
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  ByteWriter body(std::endian::native);
  body.u16(0);  // PERF_CPU_MAP__CPUS
  body.u16(static_cast<std::uint16_t>(cpus.size()));
  for (const int cpu : cpus) body.u16(static_cast<std::uint16_t>(cpu));
  body.zeros((8 - body.size() % 8) % 8);
  return record(kRecordCpuMap, body);
}

std::string stat_config(const CountSetup& setup) {
  const std::uint64_t values[] = {setup.mode, setup.interval, setup.is_scaled, setup.level};
  ByteWriter body(std::endian::native);
  body.u64(std::size(values));
  for (std::size_t tag = 0; tag < std::size(values); ++tag) {
    body.u64(tag);
    body.u64(values[tag]);
  }
  return record(kRecordStatConfig, body);
}

}  // namespace

std::size_t CountWriter::index_of(const Encoding& event) const {
  return static_cast<std::size_t>(std::ranges::find(events_, &event) - events_.begin());
}

std::size_t CountWriter::index_of(Counters::Place place) const {
  return static_cast<std::size_t>(std::ranges::find(places_, place) - places_.begin());
}

std::vector<RecordedEvent> CountWriter::recorded_events() const {
  std::vector<RecordedEvent> out;
  for (std::size_t i = 0; i < events_.size(); ++i)
    out.push_back({attrs_[i], events_[i]->written(), ids_[i], i});
  return out;
}

FeatureSections CountWriter::features() const {
  RecordOptions options;
  options.command_line = setup_.command_line;
  auto out =
      features_of(machine_, options,
                  {.events = recorded_events(), .encodings = encodings_, .trace_places = {}});
  out[Feature::stat] = "";
  return out;
}

Result<void> CountWriter::write_head(std::span<const PlaceCount> counts) {
  for (const PlaceCount& count : counts) {
    if (index_of(*count.event) == events_.size()) events_.push_back(count.event);
    if (index_of(count.place) == places_.size()) places_.push_back(count.place);
    if (std::ranges::count(threads_, count.place.thread) == 0)
      threads_.push_back(count.place.thread);
  }
  for (std::size_t i = 0; i < events_.size(); ++i) {
    attrs_.push_back(attr_of(*events_[i], writer_.is_stream()));
    Encoding& alone = encodings_.emplace_back(*events_[i]);
    alone.leader = i;
    auto& ids = ids_.emplace_back();
    for (std::size_t place = 0; place < places_.size(); ++place)
      ids.push_back(i * places_.size() + place + 1);
  }
  for (std::string& attr : attrs_)
    attr.resize(std::ranges::max(attrs_, {}, &std::string::size).size());
  if (auto done =
          writer_.begin(recorded_events(), writer_.is_stream() ? features() : FeatureSections());
      !done)
    return done;
  std::string out;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (!writer_.is_stream())
      out += make_name_update(std::endian::native, ids_[i].front(), events_[i]->written());
    out += updates_of(*events_[i], ids_[i].front());
  }
  return writer_.write_records(out + thread_map(threads_) + cpu_map(places_) + stat_config(setup_));
}

Result<CountWriter> CountWriter::begin(int fd, const Machine& machine,
                                       std::span<const PlaceCount> counts,
                                       const CountSetup& setup) {
  auto writer = RecordingWriter::create(fd, 0, setup.as_stream);
  if (!writer) return fail(std::move(writer));
  CountWriter out(machine, setup, std::move(*writer));
  if (counts.empty()) return fail(Errc::invalid_argument, "nothing is counted");
  if (auto done = out.write_head(counts); !done) return fail(std::move(done));
  return out;
}

Result<void> CountWriter::write(std::span<const PlaceCount> counts, std::uint64_t ns,
                                bool is_last) {
  std::string out;
  for (const PlaceCount& count : counts) {
    const std::size_t event = index_of(*count.event), place = index_of(count.place);
    if (event == events_.size() || place == places_.size()) continue;
    const auto thread = std::ranges::find(threads_, count.place.thread) - threads_.begin();
    ByteWriter body(std::endian::native);
    body.u64(ids_[event][place]);
    body.u32(static_cast<std::uint32_t>(count.place.cpu));
    body.u32(static_cast<std::uint32_t>(thread));
    for (const std::uint64_t word : {count.value.value, count.value.enabled, count.value.running})
      body.u64(word);
    out += record(kRecordStat, body);
  }
  ByteWriter body(std::endian::native);
  body.u64(is_last ? 1 : 0);
  body.u64(ns);
  return writer_.write_records(out + record(kRecordStatRound, body));
}

Result<void> CountWriter::finish() { return writer_.finish(features()); }

}  // namespace evname::sampling
