// Trace data of Arm's SPE. The input is the letters of --itrace up to a NUL, a byte, and a stream
// of records: AUXTRACE_INFO, TIME_CONV, AUXTRACE.

#include <cstdlib>

#include "evname/recording.hpp"
#include "fuzz/input.hpp"
#include "fuzz/target.hpp"
#include "perf_format/sample_record.hpp"
#include "recordings/spe/sample_maker.hpp"

namespace evname::fuzz::spe_target {

namespace {

using namespace evname::perf_format;

Events spe_events(bool has_times) {
  constexpr std::uint32_t kPmu = 10;
  Events events;
  Attr attr;
  attr.code = make_code(kPmu, {});
  attr.sample_type = kSampleIp | kSampleTid | kSampleCpu | kSampleIdentifier | kSampleId |
                     kSampleStreamId | (has_times ? kSampleTime : 0u);
  events.add(attr, {1});
  return events;
}

}  // namespace

FUZZ_TARGET(spe, data, size) {
  fuzz::Pieces pieces(data, size);
  const auto letters = parse_trace_options(pieces.until('\0'));
  const std::uint8_t how = pieces.byte();
  const std::endian order = how & 1 ? std::endian::big : std::endian::little;
  Events events = spe_events((how & 2) == 0);
  Features features;
  features.cpuid = "0x00000000410fd0c0";
  features.auxtrace = {{0, 8}, {0, 8}};
  Warnings warnings;
  const std::string_view rest = pieces.rest();
  const spe::Records records{{reinterpret_cast<const std::uint8_t*>(rest.data()), rest.size()}, 0};
  const auto trace = spe::read_trace({&records, 1}, order, features,
                                     letters ? *letters : TraceOptions{}, events, warnings);
  if (!trace) return 0;
  spe::SampleMaker maker(*trace, events, order, [](std::int32_t tid) { return tid; });
  maker.switch_to(how, how);
  std::size_t made = 0;
  SampleRecord sample;
  const Event* event = nullptr;
  for (std::uint64_t time : {std::uint64_t{1}, std::uint64_t{1} << 32, UINT64_MAX})
    while (maker.next_before(time, sample.record, event)) {
      // Each operation takes a byte at least, and has ten samples at most.
      if (++made > 10 * rest.size()) std::abort();
      if (parse_sample(*event, order, sample) != nullptr || sample.unread != 0) std::abort();
    }
  for (const auto& fault : maker.faults())
    if (fault.place > rest.size()) std::abort();
  return 0;
}

}  // namespace evname::fuzz::spe_target
