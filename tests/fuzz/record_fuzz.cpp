// Records of an event of any kind. The input is the attr, then a stream of records.

#include "fuzz/input.hpp"
#include "perfdata/session/delivery.hpp"
#include "perfdata/session/processes.hpp"
#include "perfdata/session/record_order.hpp"

namespace {

using namespace evname::perfdata;
using namespace evname::perfdata::session;

void read_sample(const Record& record, const Event& event, std::endian order, GroupValues& values) {
  SampleCore core;
  SampleTail tail;
  if (!parse_core(record, event, order, core) || parse_tail(record, event, order, tail)) return;
  if (event.attr.samples(kSampleRead))
    values.split(event, core, tail.read, order, [](std::uint64_t, std::uint64_t) { return true; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kAttr = 136;
  if (size < kAttr + 1) return 0;
  const std::endian order = data[kAttr] & 1 ? std::endian::big : std::endian::little;
  Events events;
  events.add(decode_attr({data, kAttr}, order), {1});
  if (data[kAttr] & 2) events.add(decode_attr({data, kAttr}, order), {2});
  RecordReader reader({data + kAttr + 1, size - kAttr - 1}, order);
  Threads threads;
  GroupValues values;
  for (Record record;
       reader.next(record) || (reader.fault() && reader.resync() && reader.next(record));) {
    record_time(record, events, order);
    const Event* event = events.of_sample(record, order);
    if (record.type == kRecordSample && event) read_sample(record, *event, order, values);
    threads.apply(record, order);
  }
  return 0;
}
