#include "perf_format/sample_record.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/bytes.hpp"
#include "perf_format/typed_records.hpp"

namespace evname::perf_format {
namespace {

constexpr std::uint64_t kBranchEntry = 24;

struct Part {
  std::uint64_t bits;  ///< of sample_type; any of them
  const char* name;
  void (*parse)(Cursor& in, const Event& event, SampleParts& parts);
};

void parse_read(Cursor& in, const Event& event, SampleParts& parts) {
  const std::uint64_t format = event.attr.read_format;
  const int times = std::popcount(format & (kReadTimeEnabled | kReadTimeRunning));
  const int value = 1 + std::popcount(format & (kReadId | kReadLost));
  if ((format & kReadGroup) == 0) {
    parts.read = in.bytes(static_cast<std::uint64_t>(times + value) * 8);
    return;
  }
  Cursor start = in;
  const std::uint64_t count = in.u64();
  in.skip(static_cast<std::uint64_t>(times) * 8);
  in.skip_array(count, static_cast<std::uint64_t>(value) * 8);
  if (in.ok()) parts.read = start.bytes(in.position() - start.position());
}

void parse_branches(Cursor& in, const Event& event, SampleParts& parts) {
  const std::uint64_t count = in.u64();
  if (event.attr.branch_sample_type & kBranchHwIndex) parts.branch_hw_index = in.u64();
  parts.branches = in.array(count, kBranchEntry);
  if (event.branch_counters) parts.branch_counters = in.array(count, 8);
}

void parse_regs(Cursor& in, std::uint64_t mask, std::uint64_t& abi, Bytes& regs) {
  abi = in.u64();
  if (abi != 0) regs = in.array(static_cast<std::uint64_t>(std::popcount(mask)), 8);
}

void parse_stack(Cursor& in, const Event&, SampleParts& parts) {
  const std::uint64_t size = in.u64();
  if (size == 0) {
    parts.stack = in.bytes(0);  // it has its place
    return;
  }
  const Bytes whole = in.bytes(size);
  const std::uint64_t used = in.u64();
  if (used > whole.size()) in.skip(UINT64_MAX);  // dyn_size can't exceed the dump: fail
  if (in.ok()) parts.stack = whole.first(used);
}

template <std::uint64_t SampleParts::*Field>
void parse_word(Cursor& in, const Event&, SampleParts& parts) {
  parts.*Field = in.u64();
}

// WEIGHT_STRUCT is u32, u16, u16 from the lowest bits up.
void parse_weight(Cursor& in, const Event& event, SampleParts& parts) {
  parts.weight = in.u64();
  if (!event.attr.samples(kSampleWeightStruct)) return;
  parts.ins_lat = static_cast<std::uint32_t>(parts.weight >> 32 & 0xffff);
  parts.retire_lat = static_cast<std::uint32_t>(parts.weight >> 48);
  parts.weight &= 0xffffffff;
}

constexpr Part kParts[] = {
    {kSampleRead, "read values", parse_read},
    {kSampleCallchain, "callchain",
     [](Cursor& in, const Event&, SampleParts& parts) { parts.callchain = in.array(in.u64(), 8); }},
    {kSampleRaw, "raw data",
     [](Cursor& in, const Event&, SampleParts& parts) { parts.raw = in.bytes(in.u32()); }},
    {kSampleBranchStack, "branch stack", parse_branches},
    {kSampleRegsUser, "user registers",
     [](Cursor& in, const Event& event, SampleParts& parts) {
       parse_regs(in, event.attr.regs_user, parts.user_abi, parts.user_registers);
     }},
    {kSampleStackUser, "user stack", parse_stack},
    {kSampleWeight | kSampleWeightStruct, "weight", parse_weight},
    {kSampleDataSrc, "data source", parse_word<&SampleParts::data_src>},
    {kSampleTransaction, "transaction", parse_word<&SampleParts::transaction>},
    {kSampleRegsIntr, "interrupt registers",
     [](Cursor& in, const Event& event, SampleParts& parts) {
       parse_regs(in, event.attr.regs_intr, parts.interrupt_abi, parts.interrupt_registers);
     }},
    {kSamplePhysAddr, "physical address", parse_word<&SampleParts::phys_addr>},
    {kSampleCgroup, "cgroup", parse_word<&SampleParts::cgroup>},
    {kSampleDataPageSize, "data page size", parse_word<&SampleParts::data_page_size>},
    {kSampleCodePageSize, "code page size", parse_word<&SampleParts::code_page_size>},
    {kSampleAux, "aux data",
     [](Cursor& in, const Event&, SampleParts& parts) { parts.aux = in.bytes(in.u64()); }},
};

constexpr std::uint64_t tail_bits() {
  std::uint64_t bits = 0;
  for (const Part& part : kParts) bits |= part.bits;
  return bits;
}

bool has_fixed_part(const Record& record, const Event& event) {
  return record.body().size() >= static_cast<std::size_t>(event.sample.size);
}

template <std::endian Order, class T>
void get(T& value, const std::uint8_t* body, std::int16_t place) {
  if (place != SampleLayout::kAbsent)
    value = static_cast<T>(load<std::make_unsigned_t<T>>(body + place, Order));
}

template <std::endian Order>
void get_thread(const std::uint8_t* body, const SampleLayout& layout, SampleRecord& sample) {
  get<Order>(sample.pid, body, layout.tid);
  get<Order>(sample.tid, body + sizeof sample.pid, layout.tid);
}

template <std::endian Order>
void get_fixed_part(const std::uint8_t* body, const Event& event, SampleRecord& sample) {
  const SampleLayout& layout = event.sample;
  sample.id = sample.ip = sample.time = sample.addr = UINT64_MAX;
  sample.pid = sample.tid = -1;
  sample.cpu = UINT32_MAX;
  sample.period = event.attr.sample_period;
  get<Order>(sample.id, body, layout.id);
  get<Order>(sample.ip, body, layout.ip);
  get_thread<Order>(body, layout, sample);
  get<Order>(sample.time, body, layout.time);
  get<Order>(sample.addr, body, layout.addr);
  get<Order>(sample.cpu, body, layout.cpu);
  get<Order>(sample.period, body, layout.period);
}

/// Returns nullptr, or which part does not fit the record.
const char* parse_parts(const Record& record, const Event& event, std::endian order,
                        SampleParts& parts) {
  const std::uint64_t type = event.attr.sample_type;
  Cursor in(record.body(), order);
  in.skip(static_cast<std::uint64_t>(event.sample.size));
  for (const Part& part : kParts) {
    if ((type & part.bits) == 0) continue;
    part.parse(in, event, parts);
    if (!in.ok()) return part.name;
  }
  if (event.is_made) {
    parts.flags = in.u32();
    parts.simd = {static_cast<Simd::Set>(in.u8()), static_cast<Simd::Lanes>(in.u8())};
    in.skip(2);
    if (!in.ok()) return "flags";
  }
  parts.unread = in.remaining();
  return nullptr;
}

// pid, tid, ns off the CPU, the callchain with its length, cgroup: __set_offcpu_sample of
// tools/perf/util/evsel.c.
bool read_off_cpu(std::endian order, SampleRecord& sample) {
  Cursor in(sample.raw, order);
  const auto pid = static_cast<std::int32_t>(in.u32()), tid = static_cast<std::int32_t>(in.u32());
  const std::uint64_t time = in.u64();
  const Bytes chain = in.array(in.u64(), 8);
  const std::uint64_t cgroup = in.u64();
  if (!in.ok()) return false;
  sample.pid = pid;
  sample.tid = tid;
  sample.period = time;
  sample.callchain = chain;
  sample.cgroup = cgroup;
  if (chain.size() >= 16) sample.ip = load<std::uint64_t>(chain.data() + 8, order);
  return true;
}

/// Clears the parts for a sample of this event, which may have none.
void clear_parts(const Event& event, SampleRecord& sample) {
  if (sample.has_parts || event.has_tail) static_cast<SampleParts&>(sample) = {};
  sample.has_parts = event.has_tail;
  sample.unread = sample.record.body().size() - static_cast<std::size_t>(event.sample.size);
}

}  // namespace

bool parse_thread(const Event& event, std::endian order, SampleRecord& sample) {
  if (!has_fixed_part(sample.record, event)) return false;
  const std::uint8_t* body = sample.record.body().data();
  sample.event = &event;
  clear_parts(event, sample);
  order == std::endian::little ? get_thread<std::endian::little>(body, event.sample, sample)
                               : get_thread<std::endian::big>(body, event.sample, sample);
  return true;
}

const char* parse_sample(const Event& event, std::endian order, SampleRecord& sample) {
  if (!has_fixed_part(sample.record, event)) return "fixed part";
  const std::uint8_t* body = sample.record.body().data();
  sample.event = &event;
  order == std::endian::little ? get_fixed_part<std::endian::little>(body, event, sample)
                               : get_fixed_part<std::endian::big>(body, event, sample);
  clear_parts(event, sample);
  if (!event.has_tail) return nullptr;
  const char* fault = parse_parts(sample.record, event, order, sample);
  if (fault || !event.off_cpu) return fault;
  return read_off_cpu(order, sample) ? nullptr : "off-CPU data";
}

void SampleRecord::move_to(const std::uint8_t* copy) {
  for (Bytes* part : {&read, &callchain, &raw, &branches, &branch_counters, &user_registers,
                      &interrupt_registers, &stack, &aux})
    if (!part->empty()) *part = {copy + (part->data() - record.bytes.data()), part->size()};
  record.bytes = {copy, record.bytes.size()};
}

bool has_sample_tail(const Attr& attr) { return (attr.sample_type & tail_bits()) != 0; }

namespace {

constexpr std::size_t kPadding = 8;

/// The contents of a record between its header and its trailer.
struct Length {
  std::uint32_t type;
  std::size_t size;        ///< in bytes; of what precedes the name
  bool ends_with = false;  ///< a name
};

constexpr Length kLengths[] = {
    {kRecordMmap, 32, true},   {kRecordLost, 16},          {kRecordComm, 8, true},
    {kRecordExit, 24},         {kRecordThrottle, 24},      {kRecordUnthrottle, 24},
    {kRecordFork, 24},         {kRecordMmap2, 64, true},   {kRecordAux, 24},
    {kRecordItraceStart, 8},   {kRecordLostSamples, 8},    {kRecordSwitch, 0},
    {kRecordSwitchCpuWide, 8}, {kRecordKsymbol, 16, true}, {kRecordBpfEvent, 16},
    {kRecordCgroup, 8, true},  {kRecordAuxOutputHwId, 8},  {kRecordFinishedRound, 0},
};

const Length* length_of(std::uint32_t type) {
  const auto* known = std::ranges::find(kLengths, type, &Length::type);
  return known == std::end(kLengths) ? nullptr : known;
}

bool has_more_than_name(Bytes body) {
  const std::size_t name = Cursor::until_nul(body).size();
  const Bytes rest = body.subspan(std::min(name, body.size()));
  return rest.size() > kPadding &&
         std::any_of(rest.begin(), rest.end(), [](std::uint8_t byte) { return byte != 0; });
}

}  // namespace

// An event with unknown fields has more.
bool is_too_long(const Event& event, std::size_t unread) {
  constexpr std::uint64_t kKnown = 2 * kSampleWeightStruct - 1;
  return unread >= kPadding && (event.attr.sample_type & ~kKnown) == 0;
}

bool is_too_long(const Record& record, const Events& events, std::endian order) {
  const Length* const known = length_of(record.type);
  if (!known) return false;
  std::size_t trailer = 0;
  if (record.type < kRecordUserFirst && events.size() > 0) {
    const Event* event = events.of_other(record, order);
    trailer = static_cast<std::size_t>((event ? *event : events.list()[0]).trailer.size);
  }
  const Bytes body = record.body();
  if (body.size() < known->size + trailer) return false;
  const Bytes rest = body.subspan(known->size, body.size() - known->size - trailer);
  return known->ends_with ? has_more_than_name(rest) : rest.size() >= kPadding;
}

bool has_long_name(const Record& record) {
  const Length* const known = length_of(record.type);
  if (!known || !known->ends_with || record.body().size() <= known->size) return false;
  return Cursor::until_nul(record.body().subspan(known->size)).size() > longest_name(record.type);
}

Loss loss_of(const Record& record, const Events& events, std::endian order) {
  using Typed = evname::Record;
  Loss loss;
  const std::uint32_t type = record.type;
  if (type == kRecordLost) {
    const auto lost = read_as<Typed::Lost>(record, order);
    if (lost) loss = {.event = events.of_id(lost->id), .lost = lost->lost};
  } else if (type == kRecordLostSamples) {
    const auto lost = read_as<Typed::LostSamples>(record, order);
    if (lost && !lost->by_bpf)
      loss = {
          .event = events.of_other(record, order), .lost = lost->lost, .by = Loss::By::hardware};
  } else if (type == kRecordThrottle) {
    const auto throttle = read_as<Typed::Throttle>(record, order);
    if (throttle)
      loss = {.event = events.of_id(throttle->id), .throttled = 1, .time = throttle->time};
  } else if (type == kRecordSwitch || type == kRecordSwitchCpuWide) {
    const auto switched = read_as<Typed::Switch>(record, order);
    if (switched && switched->is_out)
      loss = {.event = events.of_other(record, order), .switches = 1};
  }
  if (!loss.time && loss.event && loss.event->trailer.time != SampleLayout::kAbsent &&
      record.bytes.size() >= kRecordHeader + static_cast<std::size_t>(loss.event->trailer.size))
    loss.time = load<std::uint64_t>(
        record.bytes.data() + record.bytes.size() - loss.event->trailer.time, order);
  if (loss.time == 0) loss.time.reset();  // perf made the record
  if (type == kRecordLostSamples && !loss.time) loss.by = Loss::By::event;
  return loss;
}

LostSamples::LostSamples(const Events& events)
    : events_(&events),
      is_counted_twice_(std::ranges::any_of(
          events.list(),
          [](const Event& event) { return (event.attr.read_format & kReadLost) != 0; })),
      of_events_(events.size()) {}

void LostSamples::add(const Loss& loss) {
  if (loss.lost == 0) return;
  const auto by = static_cast<std::size_t>(loss.by);
  all_[by] += loss.lost;
  if (loss.event) of_events_[events_->index_of(*loss.event)][by] += loss.lost;
}

LostSamples& LostSamples::operator+=(const LostSamples& other) {
  const auto add = [](Sums& to, const Sums& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  };
  add(all_, other.all_);
  for (std::size_t i = 0; i < of_events_.size(); ++i) add(of_events_[i], other.of_events_[i]);
  return *this;
}

std::uint64_t LostSamples::chosen(const Sums& sums) const {
  const auto by = [](const Sums& of, Loss::By one) { return of[static_cast<std::size_t>(one)]; };
  using enum Loss::By;
  const std::uint64_t more = by(sums, hardware);
  if (!is_counted_twice_) return more + by(sums, buffer) + by(sums, event);
  return more + by(sums, by(all_, event) >= by(all_, buffer) ? event : buffer);
}

std::uint64_t LostSamples::all() const { return chosen(all_); }

std::uint64_t LostSamples::of_event(std::size_t index) const { return chosen(of_events_[index]); }

}  // namespace evname::perf_format
