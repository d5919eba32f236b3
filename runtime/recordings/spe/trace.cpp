#include "recordings/spe/trace.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/sorting.hpp"
#include "base/text.hpp"
#include "perf_format/data_src.hpp"
#include "perf_format/typed_records.hpp"

namespace evname::spe {

const Cpu* Trace::cpu_of(std::int32_t number) const {
  if (number < 0) return has_one_core ? cpus.data() : nullptr;
  const auto at = std::ranges::find(cpus, static_cast<std::uint64_t>(number), &Cpu::number);
  if (at != cpus.end()) return &*at;
  const bool is_of_all = cpus.size() == 1 && cpus[0].number == UINT64_MAX;
  return is_of_all ? cpus.data() : nullptr;
}

namespace {

constexpr std::uint32_t kArmSpe = 4;  // PERF_AUXTRACE_ARM_SPE
constexpr std::size_t kAuxtraceSize = 48, kVersion1Words = 2;

/// AUXTRACE_INFO of SPE. Source: the enumerations of tools/perf/util/arm-spe.h.
struct Info {
  std::uint32_t pmu = 0;
  std::vector<Cpu> cpus;
  std::uint64_t described_cpus = 0;  ///< their number, including truncated ones
};

/// Version 1 has no CPUs: the recording's CPUID string describes all of them.
Info version_1(std::uint64_t pmu, const perf_format::Features& features) {
  Info info{static_cast<std::uint32_t>(pmu), {}, 0};
  std::string_view text = features.cpuid;
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t midr = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), midr, 16).ec == std::errc())
    info.cpus.push_back({UINT64_MAX, midr, 0});
  return info;
}

std::optional<Info> read_info(const perf_format::Record& record, std::endian order,
                              const perf_format::Features& features) {
  Cursor in(record.body(), order);
  const std::uint32_t type = in.u32();
  in.skip(4);
  if (!in.ok() || type != perf_format::kTraceArmSpe) return std::nullopt;
  const std::size_t words = in.remaining() / 8;
  const std::uint64_t first = in.u64(), header = in.u64();
  if (!in.ok()) return std::nullopt;
  if (words == kVersion1Words) return version_1(first, features);
  Info info{static_cast<std::uint32_t>(in.u64()), {}, in.u64()};
  const std::uint64_t count = info.described_cpus;
  if (!in.ok() || header < 4 || header > words) return std::nullopt;
  in.skip((header - 4) * 8);
  // All CPUs have the same number of words: magic, number, number of the others, MIDR, PMU,
  // interval, and from perf 6.18 on events.
  constexpr std::uint64_t kWordsToMidr = 4, kWordsToEvents = 7;
  const std::uint64_t each = count > 0 ? (words - header) / count : 0;
  for (std::uint64_t i = 0; i < count && each >= kWordsToMidr; ++i) {
    Cursor one(in.bytes(each * 8), order);
    if (!in.ok()) break;
    one.skip(8);
    Cpu& cpu = info.cpus.emplace_back();
    cpu.number = one.u64();
    one.skip(8);
    cpu.midr = one.u64();
    one.skip(16);
    if (each >= kWordsToEvents) cpu.events = one.u64();
  }
  return info;
}

/// The description of the trace data: records before the first samples.
struct Description {
  std::optional<std::uint32_t> kind;  ///< PERF_AUXTRACE_*
  std::optional<Info> info;
};

Description describe(const Records& records, std::endian order,
                     const perf_format::Features& features) {
  Description found;
  perf_format::RecordReader reader(records.bytes, order, records.place);
  for (perf_format::Record record; reader.next(record) && !found.kind;) {
    const bool begins_data =
        record.type == perf_format::kRecordSample || record.type == perf_format::kRecordAuxtrace ||
        record.type == perf_format::kRecordFinishedRound || perf_format::is_packed(record.type);
    if (begins_data && !features.has(perf_format::Feature::auxtrace)) break;
    if (record.type != perf_format::kRecordAuxtraceInfo) continue;
    found.kind = Cursor(record.body(), order).u32();
    found.info = read_info(record, order, features);
  }
  return found;
}

/// If all offsets are 0, they mean nothing.
bool overlap(const Buffer& a, const Buffer& b) {
  const std::uint64_t from = std::max(a.offset, b.offset);
  return from > 0 && from - a.offset < a.data.size() && from - b.offset < b.data.size();
}

/// Recorders fill a piece up to a multiple of 8, so that it seems to overlap the next one.
void cut_padding(Buffer& piece, std::uint64_t next_offset) {
  const std::uint64_t size = next_offset - piece.offset;
  if (size < piece.data.size() && piece.data.size() - size < 8 && next_offset > 0)
    piece.data = piece.data.first(size);
}

/// Gathers the AUXTRACE records of streams.
class Gathering {
 public:
  Gathering(std::endian order, perf_format::Warnings& warnings)
      : order_(order), warnings_(warnings) {}

  void read(const Records& records) {
    perf_format::RecordReader reader(records.bytes, order_, records.place);
    perf_format::Record record;
    while (reader.next(record)) {
      if (record.type == perf_format::kRecordAuxtrace) add(record, record.payload);
      if (record.type == perf_format::kRecordTimeConv && clock_.is_missing())
        clock_ = perf_format::CounterClock(record.body(), order_);
    }
    if (reader.fault()) add_cut_off(reader.rest(), reader.offset());
  }
  /// Reports entries of the file's index without an AUXTRACE record, and repeated entries.
  void check(std::vector<perf_format::AuxtraceEntry> index) {
    sort_stably_by(index, &perf_format::AuxtraceEntry::offset);
    Found lost, again;
    for (std::size_t i = 0; i < index.size(); ++i) {
      const std::uint64_t at = index[i].offset;
      if (i > 0 && at == index[i - 1].offset)
        again.add(at);
      else if (!std::ranges::binary_search(places_, at))
        lost.add(at);
    }
    report(lost, "entry of the index of trace data leads to no AUXTRACE record",
           "entries of the index of trace data lead to no AUXTRACE record");
    report(again, "entry of the index of trace data leads to an AUXTRACE record that another has",
           "entries of the index of trace data lead to AUXTRACE records that others have");
    report(overlapping_, "piece of trace data overlaps an earlier one: its samples may be doubled",
           "pieces of trace data overlap earlier ones: their samples may be doubled");
  }
  /// Returns the conversion of the first TIME_CONV record that has one.
  const perf_format::CounterClock& clock() const { return clock_; }
  std::vector<Queue> take() {
    std::vector<Queue> queues;
    for (auto& [index, queue] : queues_) queues.push_back(std::move(queue));
    return queues;
  }

 private:
  /// A count of occurrences, and the place of the first.
  struct Found {
    std::uint64_t count = 0, first = 0;
    void add(std::uint64_t place) {
      if (count++ == 0) first = place;
    }
  };

  void add(const perf_format::Record& record, Bytes data) {
    places_.push_back(record.offset);
    const auto piece = perf_format::read_as<Record::Auxtrace>(record, order_);
    if (!piece) return warnings_.add(record.offset, "AUXTRACE record is too short");
    if (data.empty()) return;
    const std::uint64_t offset = piece->offset;
    const Queue empty{piece->index, piece->cpu, piece->tid, {}};
    Queue& queue = queues_.try_emplace(piece->index, empty).first->second;
    if (!queue.buffers.empty()) cut_padding(queue.buffers.back(), offset);
    if (!queue.buffers.empty() && overlap(queue.buffers.back(), {data, 0, offset}))
      overlapping_.add(record.offset);
    queue.buffers.push_back({data, record.offset + record.bytes.size(), offset});
  }
  /// The data of the last record may be incomplete.
  void add_cut_off(Bytes rest, std::uint64_t place) {
    if (rest.size() < kAuxtraceSize) return;
    perf_format::Record record;
    perf_format::read_record(rest.data(), order_, record);
    if (record.type != perf_format::kRecordAuxtrace || record.bytes.size() < kAuxtraceSize ||
        record.bytes.size() > rest.size())
      return;
    record.offset = place;
    add(record, rest.subspan(record.bytes.size()));
  }

  void report(const Found& found, std::string_view one, std::string_view many) {
    if (found.count > 0) warnings_.add(found.first, counted(found.count, one, many));
  }

  std::endian order_;
  perf_format::Warnings& warnings_;
  perf_format::CounterClock clock_;
  std::map<std::uint32_t, Queue> queues_;
  Found overlapping_;
  std::vector<std::uint64_t> places_;
};

/// Returns the attr of a made event: arm_spe_synth_events of tools/perf/util/arm-spe.c. perf prints
/// physical addresses whether the event samples them or not.
perf_format::Attr made_attr(const perf_format::Attr& spe, const TraceOptions& options,
                            bool has_times, std::size_t made) {
  constexpr std::uint64_t kKept =
      perf_format::kSampleIp | perf_format::kSampleTid | perf_format::kSampleTime |
      perf_format::kSampleAddr | perf_format::kSampleId | perf_format::kSampleStreamId |
      perf_format::kSampleCpu | perf_format::kSamplePeriod | perf_format::kSampleIdentifier;
  constexpr std::uint64_t kAdded = perf_format::kSampleIp | perf_format::kSampleTid |
                                   perf_format::kSamplePeriod | perf_format::kSampleDataSrc |
                                   perf_format::kSampleWeight | perf_format::kSampleAddr |
                                   perf_format::kSamplePhysAddr;
  constexpr std::uint64_t kInstructions = 1;  // PERF_COUNT_HW_INSTRUCTIONS
  perf_format::Attr attr;
  attr.size = spe.size;
  attr.sample_type = (spe.sample_type & kKept & ~std::uint64_t{perf_format::kSampleTime}) | kAdded;
  if (has_times) attr.sample_type |= perf_format::kSampleTime;
  for (const perf_format::AttrFlag flag :
       {perf_format::kExcludeUser, perf_format::kExcludeKernel, perf_format::kExcludeHv,
        perf_format::kExcludeHost, perf_format::kExcludeGuest, perf_format::kSampleIdAll})
    attr.flags |= spe.flags & std::uint64_t{1} << flag;
  attr.read_format = spe.read_format;
  attr.sample_period = options.period;
  if (options.branch_stack > 0 && kMadeEvents[made].kind >= TraceKind::branches) {
    attr.sample_type |= perf_format::kSampleBranchStack;
    attr.branch_sample_type = perf_format::kBranchHwIndex;
  }
  if (kMadeEvents[made].kind == TraceKind::instructions)
    attr.code = make_code(kTypeHardware, {kInstructions});
  return attr;
}

void add_events(const perf_format::Attr& spe, Trace& trace, perf_format::Events& events) {
  for (std::size_t i = 0; i < kMadeCount; ++i) {
    trace.events[i] = Trace::kNone;
    if (!trace.options.makes(kMadeEvents[i].kind)) continue;
    trace.events[i] = static_cast<std::uint32_t>(events.size());
    events.add_made(made_attr(spe, trace.options, trace.has_times, i), kMadeEvents[i].name);
  }
}

}  // namespace

std::string undecoded_traces(const Records& records, std::endian order,
                             const perf_format::Features& features) {
  struct Tracer {
    perf_format::TraceKind kind;
    std::string_view name;
  };
  constexpr Tracer kTracers[] = {{perf_format::kTraceIntelPt, "Intel PT"},
                                 {perf_format::kTraceIntelBts, "Intel BTS"},
                                 {perf_format::kTraceCoreSight, "CoreSight"},
                                 {perf_format::kTraceCpumSf, "s390's CPU-MF"},
                                 {perf_format::kTraceHisiPtt, "HiSilicon PTT"},
                                 {perf_format::kTraceVpaDtl, "POWER's dispatch trace log"}};
  const auto kind = describe(records, order, features).kind;
  if (kind == perf_format::kTraceArmSpe || (!kind && !features.has(perf_format::Feature::auxtrace)))
    return {};
  const auto* const known =
      std::ranges::find_if(kTracers, [&](const Tracer& tracer) { return tracer.kind == kind; });
  return std::string(known != std::end(kTracers) ? known->name : "unknown hardware");
}

std::shared_ptr<const Trace> read_trace(std::span<const Records> streams, std::endian order,
                                        const perf_format::Features& features,
                                        const TraceOptions& options, perf_format::Events& events,
                                        perf_format::Warnings& warnings) {
  if (streams.empty() || options.kinds == 0) return nullptr;
  Description found = describe(streams[0], order, features);
  if (!found.info) return nullptr;
  const auto spe = std::ranges::find_if(events.list(), [&](const perf_format::Event& event) {
    return event.attr.code.type == found.info->pmu;
  });
  if (spe == events.list().end()) {
    warnings.add("the recording has trace data of SPE, and no event of its PMU: they are not read");
    return nullptr;
  }
  auto trace = std::make_shared<Trace>();
  trace->options = options;
  trace->cpus = std::move(found.info->cpus);
  if (trace->cpus.size() < found.info->described_cpus)
    warnings.add("SPE's description of the CPUs is cut off: data sources of some are not known");
  trace->has_one_core = !trace->cpus.empty() && std::ranges::all_of(trace->cpus, [&](auto& cpu) {
    return cpu.midr == trace->cpus[0].midr;
  });
  trace->has_times = std::ranges::any_of(events.list(), [](const perf_format::Event& event) {
    return event.attr.samples(perf_format::kSampleTime);
  });
  Gathering gathering(order, warnings);
  for (const Records& stream : streams) gathering.read(stream);
  trace->clock = gathering.clock();
  if (trace->has_times && trace->clock.is_missing())
    warnings.add("there is no TIME_CONV record: times of SPE's samples are counts of its timer");
  gathering.check(features.auxtrace);
  trace->queues = gathering.take();
  const perf_format::Attr attr = spe->attr;  // adding events moves them
  add_events(attr, *trace, events);
  return trace;
}

namespace {

using namespace perf_format::data_source;

// The values PERF_MEM_* of include/uapi/linux/perf_event.h.

constexpr std::uint64_t in(Bits part, std::uint64_t value) { return value << part.from; }

constexpr std::uint64_t kLoad = in(kOp, 2), kStore = in(kOp, 4), kNoOp = in(kOp, 1);
constexpr std::uint64_t kLevelHit = in(kLevel, kHit), kLevelMiss = in(kLevel, kMiss);
constexpr std::uint64_t kSnoopNa = in(kSnoop, 1), kNoSnoop = in(kSnoop, 2),
                        kSnoopHit = in(kSnoop, 4), kHitm = in(kSnoop, 0x10), kPeer = in(kSnoopX, 2),
                        kFar = in(kRemote, 1);
constexpr std::uint64_t kTlbHit = in(kTlb, kHit), kTlbMiss = in(kTlb, kMiss),
                        kWalker = in(kTlb, 0x20);

/// A level as bits and as a number.
constexpr std::uint64_t level(std::uint64_t bits, std::uint64_t number) {
  return in(kLevel, bits) | in(kLevelNumber, number);
}
constexpr std::uint64_t kL1 = level(0x08, 1), kLfb = level(0x10, 0xc), kL2 = level(0x20, 2),
                        kL3 = level(0x40, 3), kRam = level(0x80, 0xd), kFarRam = level(0x100, 0xd),
                        kFarCluster = level(0x400, 3), kFarSocket = level(0x800, 0xb),
                        kIo = level(0x1000, 0xa), kNoLevel = level(1, 0xf);

/// The meaning of a value of the packet.
struct Source {
  std::uint16_t packet;
  std::uint64_t means;
};

// Arm's own cores: peer core, local cluster, system cache, peer cluster, remote and DRAM after the
// first two.
constexpr Source kCommon[] = {
    {0x0, kL1 | kLevelHit | kNoSnoop},  {0x8, kL2 | kLevelHit | kNoSnoop},
    {0x9, kL2 | kLevelHit | kPeer},     {0xa, kL3 | kLevelHit | kPeer},
    {0xb, kL3 | kLevelHit | kSnoopHit}, {0xc, kL3 | kLevelHit | kPeer},
    {0xd, kNoLevel | kFar | kPeer},     {0xe, kRam | kLevelHit | kNoSnoop}};
constexpr Source kAmpereOne[] = {
    {0x0, kL2 | kLevelHit | kPeer},    {0x3, kL3 | kLevelHit | kSnoopHit},
    {0x5, kNoLevel | kFar | kPeer},    {0x7, kRam | kLevelHit | kNoSnoop},
    {0x8, kL1 | kLevelHit | kNoSnoop}, {0x9, kL2 | kLevelHit | kNoSnoop}};
constexpr Source kHip[] = {
    {0, kL2 | kLevelHit | kPeer},         {1, kL2 | kLevelHit | kHitm | kPeer},
    {2, kL3 | kLevelHit | kSnoopHit},     {3, kL3 | kLevelHit | kHitm},
    {4, kFarCluster | kLevelHit | kPeer}, {5, kFarCluster | kLevelHit | kHitm | kPeer},
    {6, kFarSocket | kFar | kPeer},       {7, kFarSocket | kHitm | kFar | kPeer},
    {8, kRam | kLevelHit | kNoSnoop},     {9, kFarRam | kLevelHit | kFar},
    {13, kIo | kLevelHit | kNoSnoop},     {16, kL2 | kLevelHit | kNoSnoop},
    {17, kL2 | kLevelHit | kHitm},        {18, kL1 | kLevelHit | kNoSnoop}};

/// A core by the implementer and the part of its MIDR, and its table. Source: data_source_handles
/// of tools/perf/util/arm-spe.c.
struct Core {
  std::uint64_t implementer, part;
  std::span<const Source> sources;
};
constexpr Core kCores[] = {
    {0x41, 0xd4d, kCommon},                          // Cortex-A715
    {0x41, 0xd81, kCommon},                          // Cortex-A720
    {0x41, 0xd89, kCommon},                          // Cortex-A720AE
    {0x41, 0xd87, kCommon},                          // Cortex-A725
    {0x41, 0xd4b, kCommon},                          // Cortex-A78C
    {0x41, 0xd44, kCommon},                          // Cortex-X1
    {0x41, 0xd4c, kCommon},                          // Cortex-X1C
    {0x41, 0xd4e, kCommon},                          // Cortex-X3
    {0x41, 0xd82, kCommon},                          // Cortex-X4
    {0x41, 0xd85, kCommon},                          // Cortex-X925
    {0x41, 0xd0c, kCommon},                          // Neoverse N1
    {0x41, 0xd49, kCommon},                          // Neoverse N2
    {0x41, 0xd40, kCommon},                          // Neoverse V1
    {0x41, 0xd4f, kCommon},                          // Neoverse V2
    {0x41, 0xd84, kCommon},                          // Neoverse V3
    {0x4e, 0x010, kCommon},                          // NVIDIA Olympus
    {0xc0, 0xac4, kAmpereOne}, {0x48, 0xd06, kHip},  // HiSilicon HIP12
};

std::uint64_t of_packet(const Operation& operation, std::uint64_t midr) {
  const auto* core = std::find_if(std::begin(kCores), std::end(kCores), [&](const Core& row) {
    return row.implementer == (midr >> 24 & 0xff) && row.part == (midr >> 4 & 0xfff);
  });
  if (core == std::end(kCores) || (midr >> 16 & 0xf) != 0xf) return 0;
  const auto row = std::ranges::find(core->sources, operation.source, &Source::packet);
  const bool is_known = row != core->sources.end();
  // The packet does not apply to stores.
  if ((operation.is & kIsStore) == 0) return is_known ? row->means : 0;
  return is_known || core->sources.data() != kAmpereOne ? kNoLevel | kSnoopNa : 0;
}

/// A cache, the bits of its events, and how data_src names it.
struct Cache {
  std::uint64_t access, miss, means;
};
constexpr Cache kCaches[] = {
    {kL1dAccess, kL1dRefill, kL1}, {kL2dAccess, kL2dMiss, kL2}, {kLlcAccess, kLlcMiss, kL3}};

/// A load hit the nearest cache with a hit, else missed the farthest one.
std::uint64_t level_of_load(std::uint64_t events) {
  for (const Cache& cache : kCaches) {
    if ((events & (cache.access | cache.miss)) == cache.access) return cache.means | kLevelHit;
    if (cache.means == kL1 && (events & kRecentlyFetched) != 0) return kLfb | kLevelHit;
  }
  for (auto cache = std::rbegin(kCaches); cache != std::rend(kCaches); ++cache)
    if ((events & cache->miss) != 0) return cache->means | kLevelMiss;
  return 0;
}

/// For a store the farthest cache counts.
std::uint64_t level_of_store(std::uint64_t events) {
  for (auto cache = std::rbegin(kCaches); cache != std::rend(kCaches); ++cache)
    if ((events & (cache->access | cache->miss)) != 0)
      return cache->means | ((events & cache->miss) != 0 ? kLevelMiss : kLevelHit);
  return 0;
}

std::uint64_t snoop_of(std::uint64_t events, const Cpu* cpu) {
  if ((events & kSnooped) != 0) return (events & kModified) != 0 ? kHitm : kSnoopHit;
  return cpu != nullptr && (cpu->events & kSnooped) != 0 ? kNoSnoop : kSnoopNa;
}

}  // namespace

// arm_spe__synth_data_source of tools/perf/util/arm-spe.c.
std::uint64_t memory_source(const Operation& operation, const Cpu* cpu) {
  if ((operation.is & (kIsMemory | kIsVector)) == 0) return 0;
  const std::uint64_t events = operation.events;
  std::uint64_t source = (operation.is & kIsLoad) != 0    ? kLoad
                         : (operation.is & kIsStore) != 0 ? kStore
                                                          : kNoOp;
  const std::uint64_t op = source;
  if (cpu != nullptr) source |= of_packet(operation, cpu->midr);
  if (kLevel.of(source) == 0 && op == kLoad) source |= level_of_load(events);
  if (kLevel.of(source) == 0 && op == kStore) source |= level_of_store(events);
  if (kLevel.of(source) == 0) source |= kNoLevel;
  if (kSnoop.of(source) == 0) source |= snoop_of(events, cpu);
  if ((events & kRemoteAccess) != 0) source |= kFar;
  if ((events & (kTlbAccess | kTlbWalk)) != 0)
    source |= kWalker | ((events & kTlbWalk) != 0 ? kTlbMiss : kTlbHit);
  return source;
}

}  // namespace evname::spe
