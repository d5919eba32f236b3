// The fields of a Sample, its stack, and the samples of a recording one at a time.

#include <new>
#include <optional>
#include <set>
#include <utility>

#include "perf_format/features.hpp"
#include "perf_format/scheduler_records.hpp"
#include "perf_format/trace_data.hpp"
#include "perf_format/typed_records.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "recordings/perf_data/recording_state.hpp"

namespace evname {
namespace {

template <class T>
std::optional<T> if_sampled(const perf_format::SampleRecord& record, std::uint32_t bits, T value) {
  return (record.event->attr.sample_type & bits) != 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

// A field is in the member of SampleRecord that has its name.
#define EVNAME_SAMPLE_NUMBER(name, NAME, sampled, ...)                  \
  decltype(std::declval<const Sample&>().name()) Sample::name() const { \
    using namespace perf_format;                                        \
    return if_sampled(*record_, sampled, record_->name);                \
  }
#define EVNAME_SAMPLE_LIST(name, ...) \
  SampleWords Sample::name() const { return {record_->name, swapped_}; }
#include "perf_format/sample_fields.def"

std::uint64_t Sample::period() const { return record_->period; }
std::uint32_t Sample::misc() const { return record_->record.misc; }
std::string_view Sample::comm() const {
  return record_->event->attr.samples(perf_format::kSampleTid) ? comm_ : std::string_view{};
}
std::string_view Sample::cgroup_path() const { return cgroup_path_; }
std::string_view Sample::raw() const {
  const Bytes bytes = record_->raw;
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::optional<TraceValue> Sample::field(std::string_view name) const {
  constexpr bool is_big = std::endian::native == std::endian::big;
  const auto* const field = perf_format::field_named(record_->event->format, name);
  if (!field) return std::nullopt;
  return perf_format::value_of(*field, raw(),
                               is_big == swapped_ ? std::endian::little : std::endian::big);
}

namespace {

// enum perf_callchain_context of include/uapi/linux/perf_event.h.
constexpr std::uint64_t kContextHypervisor = -32, kContextKernel = -128, kContextUser = -512,
                        kContextUserDeferred = -640;
constexpr std::pair<std::uint64_t, std::string_view> kContextNames[] = {
    {kContextHypervisor, "PERF_CONTEXT_HV"}, {kContextKernel, "PERF_CONTEXT_KERNEL"},
    {kContextUser, "PERF_CONTEXT_USER"},     {kContextUserDeferred, "PERF_CONTEXT_USER_DEFERRED"},
    {-2048, "PERF_CONTEXT_GUEST"},           {-2176, "PERF_CONTEXT_GUEST_KERNEL"},
    {-2560, "PERF_CONTEXT_GUEST_USER"},
};

// As resolve_lbr_callchain_sample of tools/perf/util/machine.c, the CPU's record of calls replaces
// the user part of the callchain. It begins with the sample's own instruction; for samples in the
// kernel, where perf has a kernel address, it is the target of the last call.
bool replaces_user_stack(const Sample& sample, const perf_format::Attr& attr) {
  return (attr.branch_sample_type & perf_format::kBranchCallStack) != 0 &&
         sample.branches().size() >= 3;
}

}  // namespace

std::string_view context_name(std::uint64_t word) {
  for (const auto& [context, name] : kContextNames)
    if (context == word) return name;
  return {};
}

session::SampleTime detail::time_of(const Sample& sample) {
  using Clock = session::SampleTime::Clock;
  const perf_format::SampleRecord& record = record_of(sample);
  const perf_format::Attr& attr = record.event->attr;
  if (!attr.samples(perf_format::kSampleTime)) return {};
  const Clock clock = !attr.has(perf_format::kUseClockid)       ? Clock::kernel
                      : attr.clockid == perf_format::kMonotonic ? Clock::monotonic
                                                                : Clock::unknown;
  return {clock, record.time};
}

namespace perf_data {

Address instruction_of(const Sample& sample) {
  const bool kernel = (sample.misc() & perf_format::kCpuMode) == perf_format::kCpuModeKernel;
  return {sample.ip().value_or(0), kernel};
}

bool has_chain(const Sample& sample) {
  const SampleWords chain = sample.callchain();
  for (std::size_t i = 0; i < chain.size(); ++i)
    if (chain[i] < kContextMax ||
        (chain[i] == kContextUser &&
         replaces_user_stack(sample, detail::record_of(sample).event->attr)))
      return true;
  return false;
}

std::size_t kept_calls(const Sample& sample) {
  if (!replaces_user_stack(sample, detail::record_of(sample).event->attr)) return 0;
  const SampleWords chain = sample.callchain();
  for (std::size_t i = 0; i < chain.size(); ++i)
    if (chain[i] == kContextUser) return 1 + sample.branches().size() / 3;
  return 0;
}

std::optional<std::size_t> first_of_user(const Sample& sample) {
  const SampleWords chain = sample.callchain();
  std::size_t before = 0;
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    if (chain[i] == kContextUser)
      return chain[i + 1] < kContextMax ? std::optional(before) : std::nullopt;
    if (chain[i] < kContextMax) ++before;
  }
  return std::nullopt;
}

}  // namespace perf_data

// thread__resolve_callchain_sample and add_callchain_ip of tools/perf/util/machine.c.
bool Sample::stack(std::vector<Address>& stack) const {
  stack.clear();
  const SampleWords chain = callchain();
  bool kernel = false, known = true;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const std::uint64_t address = chain[i];
    if (address < perf_data::kContextMax)
      stack.push_back({address, kernel});
    else if (address == kContextUser || address == kContextUserDeferred)
      kernel = false;
    else if (address == kContextKernel || address == kContextHypervisor)
      kernel = true;
    else
      known = false;
    if (address != kContextUser || !replaces_user_stack(*this, record_->event->attr)) continue;
    const SampleWords calls = branches();  // from, to and flags of each; the latest first
    const Address own = perf_data::instruction_of(*this);
    stack.push_back({own.kernel || own.value == 0 ? calls[1] : own.value, false});
    for (std::size_t call = 0; call + 2 < calls.size(); call += 3)
      stack.push_back({calls[call], false});
    break;
  }
  // Markers alone: the kernel could not walk the stack of user space, as on s390x.
  if (stack.empty() && ip()) stack.push_back(perf_data::instruction_of(*this));
  return known;
}

std::optional<Mapping> Sample::mapping(Address address) const {
  const auto range = maps_->find(address.value, address.kernel);
  return range.dso ? std::optional(maps_->mapping(range, detail::time_of(*this))) : std::nullopt;
}

struct SampleRange::State {
  State(const Recording& data, const PassOptions& options)
      : file(data),
        cursor(std::in_place, detail::state_of(file).file, options),
        contents(*cursor) {}
  State(const Recording& data, std::shared_ptr<detail::SampleSource> from)
      : file(data), source(std::move(from)), contents(source->contents()) {}
  ~State() {}

  bool move_on() { return cursor ? cursor->next_sample() : source->next_sample(); }
  bool move_on_by_one() { return cursor ? cursor->next() : source->next_sample(); }
  /// Makes the sample in its place; copying bytes that were just written would stall the CPU.
  const Sample* show() {
    return ::new (&sample) Sample(detail::sample_at(detail::state_of(file), contents));
  }

  const Record* show_record() {
    const perf_format::Record& from = contents.record();
    record = {.type = from.type, .misc = from.misc, .offset = from.offset};
    contents.is_sample() ? show_sample() : show_other(from);
    return &record;
  }
  void show_sample() {
    record.content = show();
    record.event = &sample.event();
    record.pid = sample.pid();
    record.tid = sample.tid();
    record.time = sample.time();
    record.id = sample.id();
    record.cpu = sample.cpu();
  }
  void show_other(const perf_format::Record& from) {
    const detail::RecordingState& state = detail::state_of(file);
    const std::endian order = state.file.header.order;
    record.content = perf_format::content_of(from, order);
    const perf_format::Event* event = contents.event_of_other();
    if (!event) return;
    perf_format::read_identity(contents.trailer(), *event, order, record);
    if (record.id || state.events.size() == 1)
      record.event = &state.events[state.file.events.index_of(*event)];
  }

  Recording file;
  std::optional<session::RecordCursor> cursor;  ///< over the file, unless there is:
  std::shared_ptr<detail::SampleSource> source;
  const session::RecordContents& contents;  ///< of either
  union {
    Sample sample;  ///< there is none before the first call of show()
  };
  Record record;           ///< that next_record() returned last
  bool is_inside = false;  ///< next() is running, or threw an exception
};

SampleRange::SampleRange(std::unique_ptr<State> state) : state_(std::move(state)) {}
SampleRange::SampleRange(SampleRange&& other) noexcept = default;
SampleRange& SampleRange::operator=(SampleRange&& other) noexcept = default;
SampleRange::~SampleRange() = default;

const Sample* SampleRange::next() {
  State& state = *state_;
  if (std::exchange(state.is_inside, true)) return nullptr;
  const Sample* const sample = state.move_on() ? state.show() : nullptr;
  state.is_inside = false;
  return sample;
}

const Record* SampleRange::next_record() {
  State& state = *state_;
  if (std::exchange(state.is_inside, true)) return nullptr;
  const Record* const record = state.move_on_by_one() ? state.show_record() : nullptr;
  state.is_inside = false;
  return record;
}

void SampleRange::stop() {
  if (state_->cursor) state_->cursor->end();
}
SampleTally SampleRange::tally() const {
  return state_->cursor ? state_->cursor->tally() : state_->source->tally();
}

SampleRange Recording::samples(const PassOptions& options) const {
  return SampleRange(std::make_unique<SampleRange::State>(*this, options));
}

SampleRange SampleRange::over(const Recording& data, std::shared_ptr<detail::SampleSource> source) {
  return SampleRange(std::make_unique<State>(data, std::move(source)));
}

std::string_view detail::process_comm(const SampleRange& range) {
  return state_of(range).contents.process_comm();
}

SampleRange detail::range_over(const Recording& data, std::shared_ptr<SampleSource> source) {
  return Access::over<SampleRange>(data, std::move(source));
}

perf_data::RecordSurvey perf_data::survey(const Recording& data, const PassOptions& options) {
  const stream::File& file = detail::state_of(data).file;
  const std::endian order = file.header.order;
  RecordSurvey survey;
  std::set<std::pair<std::string, std::vector<std::uint8_t>>> known;
  const auto add = [&](const perf_format::BuildId& one) {
    if (known.emplace(one.file, one.id).second) survey.build_ids.push_back(one);
  };
  for (const perf_format::BuildId& one : file.features.build_ids) add(one);
  perf_format::SchedulerSums scheduler;
  session::RecordCursor cursor(file, options, {.maps = false});
  while (cursor.next()) {
    if (cursor.is_sample()) continue;
    const perf_format::Record& record = cursor.record();
    if (record.type == perf_format::kRecordBpfMetadata)
      survey.bpf_metadata.push_back(perf_format::read_bpf_metadata(record, order));
    if (const auto found = perf_format::mapped_build_id(record, order)) add(*found);
    if (perf_format::is_of_scheduler(record.type)) scheduler.add(record, order);
  }
  survey.tally = cursor.tally();
  survey.scheduler = scheduler.take();
  return survey;
}

}  // namespace evname
