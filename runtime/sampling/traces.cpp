#include "sampling/traces.hpp"

#include <linux/perf_event.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "events/cpu/live_cpu.hpp"
#include "events/machine/groups.hpp"
#include "evname/attr.hpp"
#include "perf_format/record.hpp"

namespace evname::sampling {
namespace {

constexpr std::size_t kTraceRecordBytes = 48;

using Words = std::vector<std::uint64_t>;

/// How the kernel converts the hardware's counts to times. Source: perf_event_mmap_page.
struct TraceClock {
  std::uint64_t shift = 0, factor = 0, zero = 0, cycles = 0, mask = 0;
  bool has_zero = false, is_short = false;
};

/// The kernel may write the page at any time, and counts what it writes.
TraceClock clock_of_page(const perf_event_mmap_page& page) {
  constexpr std::uint64_t kZero = 1 << 4, kShort = 1 << 5;
  const volatile perf_event_mmap_page& at = page;
  for (;;) {
    const std::uint32_t sequence = at.lock;
    std::atomic_thread_fence(std::memory_order_acquire);
    const std::uint64_t can = at.capabilities;
    TraceClock out{at.time_shift,      at.time_mult,       at.time_zero, 0, 0,
                   (can & kZero) != 0, (can & kShort) != 0};
    if (out.is_short) {
      out.cycles = at.time_cycles;
      out.mask = at.time_mask;
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    if (at.lock == sequence) return out.has_zero ? out : TraceClock();
  }
}

/// The facts for a description.
struct Described {
  const Machine& machine;
  const RecordOptions& options;
  std::span<const Encoding> events;
  const Encoding& event;  ///< the first with a trace
  bool of_cpus;
  TraceClock clock;

  std::string folder(std::string_view pmu) const {
    return fmt::format("{}/bus/event_source/devices/{}/", options.setup.roots.sysfs, pmu);
  }
};

/// Returns the bits of `config` that a field of a PMU has, up to its fourth.
std::uint64_t field_bits(const Machine& machine, std::string_view pmu, std::string_view field) {
  const auto config_of = [&](int value) -> std::optional<std::uint64_t> {
    const auto found = machine.resolve(fmt::format("{}/{}={}/", pmu, field, value));
    return found && !found->empty() ? std::optional(found->front().code.config[0]) : std::nullopt;
  };
  const auto none = config_of(0);
  std::uint64_t out = 0;
  for (int bit = 0; none && bit < 4; ++bit)
    if (const auto one = config_of(1 << bit)) out |= *one ^ *none;
  return out;
}

/// Returns the PMU with a trace that a CPU has, or nullptr.
const PmuInfo* traced_pmu(const Described& of, std::span<const PmuInfo> pmus, unsigned cpu) {
  for (const PmuInfo& pmu : pmus) {
    if (std::ranges::find(of.events, pmu.name, &Encoding::pmu) == of.events.end()) continue;
    const auto cpus = parse_cpu_list(pmu.cpus);
    if (machine::is_aux(pmu.name) && (cpus.empty() || std::ranges::count(cpus, cpu) > 0))
      return &pmu;
  }
  return nullptr;
}

/// Arm's SPE: words of all, then of each CPU, as many as a record has room for.
Words describe_spe(const Described& of) {
  constexpr std::uint64_t kVersion = 2, kHeaderWords = 4, kMagic = 0x1010101010101010,
                          kOwnWords = 4;
  constexpr std::size_t kMostTraced = 1160;
  const std::string devices = of.options.setup.roots.sysfs + "/devices/system/cpu/";
  auto cpus = cpu::online_numbers(of.options.setup.roots);
  cpus.resize(std::min(cpus.size(), kMostTraced));
  const auto pmus = of.machine.pmus();
  Words out{kVersion, kHeaderWords, of.event.code.type, cpus.size()};
  for (const unsigned cpu : cpus) {
    const PmuInfo* const pmu = traced_pmu(of, pmus, cpu);
    const std::string caps = pmu != nullptr ? of.folder(pmu->name) + "caps/" : "";
    const std::string id = fmt::format("{}cpu{}/regs/identification/midr_el1", devices, cpu);
    const std::uint64_t type = pmu != nullptr && pmu->type ? *pmu->type : UINT64_MAX;
    out.insert(out.end(), {kMagic, cpu, kOwnWords, number_of_file(id, true).value_or(0), type});
    out.push_back(pmu != nullptr ? number_of_file(caps + "min_interval").value_or(0) : 0);
    out.push_back(pmu != nullptr ? number_of_file(caps + "event_filter", true).value_or(0) : 0);
  }
  return out;
}

/// Returns the ratio of counts of the time stamps to counts of the crystal: CPUID leaf 0x15.
std::array<std::uint64_t, 2> crystal_ratio() {
  unsigned divisor = 0, factor = 0;
#if defined(__x86_64__) || defined(__i386__)
  unsigned crystal = 0, none = 0;
  (void)__get_cpuid_count(0x15, 0, &divisor, &factor, &crystal, &none);
#endif
  return {factor, divisor};
}

Words describe_pt(const Described& of) {
  const std::string folder = of.folder(of.event.pmu);
  const auto bits = [&](std::string_view field) {
    return field_bits(of.machine, of.event.pmu, field);
  };
  const auto [factor, divisor] = crystal_ratio();
  const std::uint64_t switches = of.options.per_thread ? 0 : of.of_cpus ? 3 : 2;
  constexpr std::uint64_t kNoFilter = 0;
  return {of.event.code.type,
          of.clock.shift,
          of.clock.factor,
          of.clock.zero,
          of.clock.has_zero,
          bits("tsc"),
          bits("noretcomp"),
          switches,
          of.options.snapshots,
          !of.options.per_thread,
          bits("mtc"),
          bits("mtc_period"),
          factor,
          divisor,
          bits("cyc"),
          number_of_file(folder + "max_nonturbo_ratio").value_or(0),
          kNoFilter,
          number_of_file(folder + "caps/event_trace").value_or(0)};
}

Words describe_bts(const Described& of) {
  return {of.event.code.type, of.clock.shift,    of.clock.factor,
          of.clock.zero,      of.clock.has_zero, of.options.snapshots};
}

Words describe_ptt(const Described& of) { return {of.event.code.type}; }

/// A kind of trace that evname records.
struct Recorded {
  std::string_view pmu;
  perf_format::TraceKind kind;
  Words (*describe)(const Described& of);
  bool of_threads = false;       ///< the hardware can't trace everything on a CPU
  bool has_no_snapshot = false;  ///< the driver needs a reader all the time
};
constexpr Recorded kTraceKinds[] = {
    {kDecodedTrace, perf_format::kTraceArmSpe, describe_spe},
    {"intel_pt", perf_format::kTraceIntelPt, describe_pt},
    {"intel_bts", perf_format::kTraceIntelBts, describe_bts, true},
    {"hisi_ptt", perf_format::kTraceHisiPtt, describe_ptt, false, true}};

const Recorded* kind_of(std::string_view pmu) {
  const auto* const found = std::ranges::find_if(
      kTraceKinds, [&](const Recorded& kind) { return pmu.starts_with(kind.pmu); });
  return found != std::end(kTraceKinds) ? found : nullptr;
}

std::string made_record(std::uint32_t type, const ByteWriter& body) {
  return perf_format::make_record(std::endian::native, type, 0, body.bytes());
}

}  // namespace

Result<const Encoding*> traced_event(std::span<const Encoding> events,
                                     const RecordOptions& options) {
  const Encoding* first = nullptr;
  for (const Encoding& event : events) {
    if (!machine::is_aux(event.pmu)) continue;
    const Recorded* const kind = kind_of(event.pmu);
    if (kind == nullptr)
      return fail(
          Errc::unsupported,
          fmt::format("{}: evname does not record CoreSight, whose readers need the "
                      "registers of each CPU's trace unit",
                      event.name),
          {},
          fmt::format("perf record -e {} does, and a perf with libopencsd decodes it", event.name));
    if (kind->of_threads && !options.per_thread)
      return fail(Errc::unsupported,
                  fmt::format("{}: the PMU {} traces threads, not CPUs", event.name, event.pmu), {},
                  "take --per-thread (RecordOptions::per_thread)");
    if (kind->has_no_snapshot && options.snapshots)
      return fail(Errc::unsupported,
                  fmt::format("{}: the PMU {} has no snapshots", event.name, event.pmu), {},
                  "leave out -S (RecordOptions::snapshots)");
    if (options.clock)
      return fail(Errc::invalid_argument,
                  fmt::format("{}: a trace can't have times of another clock", event.name), {},
                  "leave out -k (RecordOptions::clock)");
    if (first == nullptr) first = &event;
    if (kind_of(first->pmu) != kind)
      return fail(Errc::unsupported,
                  fmt::format("{} and {}: one kind of trace at a time", first->name, event.name));
  }
  if (options.snapshots && first == nullptr)
    return fail(Errc::invalid_argument, "no event has a trace to take snapshots of", {},
                "snapshots (-S) are of arm_spe_*, intel_pt and intel_bts");
  return first;
}

void set_trace_options(const Machine& machine, Encoding& event, EventOptions& own,
                       bool with_times) {
  if (own.sampling.period == 0) own.sampling.period = std::max<std::uint64_t>(event.period, 1);
  if (!event.pmu.starts_with(kDecodedTrace)) return;
  own.bits |= perf_format::kSampleDataSrc;  // tells readers that the trace has memory accesses
  if ((event.code.config[0] & field_bits(machine, event.pmu, "pa_enable")) != 0)
    own.bits |= perf_format::kSamplePhysAddr;
  if ((with_times || !own.per_thread) && event.name.find("ts_enable") == std::string_view::npos)
    event.code.config[0] |= field_bits(machine, event.pmu, "ts_enable");
}

std::string trace_description(const Machine& machine, std::span<const Encoding> events,
                              const RecordOptions& options, bool of_cpus,
                              const perf_event_mmap_page& page) {
  const auto event = traced_event(events, options);
  if (!event || *event == nullptr) return {};
  const Recorded& kind = *kind_of((*event)->pmu);
  const TraceClock clock = clock_of_page(page);
  std::string out;
  if (clock.has_zero) {
    ByteWriter body(std::endian::native);
    for (const std::uint64_t word :
         {clock.shift, clock.factor, clock.zero, clock.cycles, clock.mask})
      body.u64(word);
    body.raw(std::string{'\1', static_cast<char>(clock.is_short)});
    body.zeros(6);
    out += made_record(perf_format::kRecordTimeConv, body);
  }
  ByteWriter body(std::endian::native);
  body.u32(kind.kind);
  body.u32(0);
  for (const std::uint64_t word :
       kind.describe({machine, options, events, **event, of_cpus, clock}))
    body.u64(word);
  return out + made_record(perf_format::kRecordAuxtraceInfo, body);
}

std::string trace_record(const TraceSource& source, const RingContent& content) {
  ByteWriter body(std::endian::native);
  body.u64((content.size() + 7) / 8 * 8);
  body.u64(content.end - content.size());
  body.u64(0);  // a number that readers ignore
  body.u32(static_cast<std::uint32_t>(source.ring));
  body.u32(static_cast<std::uint32_t>(source.thread));
  body.u32(static_cast<std::uint32_t>(source.cpu));
  body.zeros(kTraceRecordBytes - perf_format::kRecordHeader - body.size());
  return made_record(perf_format::kRecordAuxtrace, body);
}

std::string trace_index(std::span<const std::uint64_t> places) {
  ByteWriter out(std::endian::native);
  out.u64(places.size());
  for (const std::uint64_t place : places) {
    out.u64(place);
    out.u64(kTraceRecordBytes);
  }
  return out.bytes();
}

}  // namespace evname::sampling
