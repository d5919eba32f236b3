// Records of an event of any kind. The input is the attr, then a stream of records.

#include "fuzz/input.hpp"
#include "fuzz/target.hpp"
#include "recordings/format/features.hpp"
#include "recordings/session/address_maps.hpp"
#include "recordings/session/processes.hpp"
#include "recordings/session/record_cursor.hpp"
#include "recordings/session/record_order.hpp"

namespace evname::fuzz::record_target {

namespace {

using namespace evname::perfdata;
using namespace evname::perfdata::session;

void read_sample(const Record& record, const Event& event, std::endian order, GroupValues& values) {
  SampleRecord sample;
  sample.record = record;
  parse_thread(event, order, sample);
  if (parse_sample(event, order, sample)) return;
  is_too_long(event, sample.unread);
  if (!event.attr.samples(kSampleRead)) return;
  values.begin(sample, order);
  for (std::uint64_t id, period; values.next(id, period);) {
  }
}

}  // namespace

FUZZ_TARGET(record, data, size) {
  constexpr std::size_t kAttr = 136;
  if (size < kAttr + 1) return 0;
  const std::endian order = data[kAttr] & 1 ? std::endian::big : std::endian::little;
  Events events;
  events.add(decode_attr({data, kAttr}, order), {1});
  if (data[kAttr] & 4) events.at(0).set_name("offcpu-time");
  if (data[kAttr] & 2) events.add(decode_attr({data, kAttr}, order), {2});
  RecordReader reader({data + kAttr + 1, size - kAttr - 1}, order);
  const std::vector<BuildId> ids{{.id = {1, 2, 3}, .file = "/bin/true"}};
  AddressMaps maps(ids);
  Cgroups cgroups;
  Threads threads;
  GroupValues values;
  for (Record record;
       reader.next(record) || (reader.fault() && reader.resync() && reader.next(record));) {
    record_time(record, events, order);
    perfdata::record_name(record.type);
    const Event* event = events.of_sample(record, order);
    if (record.type == kRecordSample && event) read_sample(record, *event, order, values);
    is_too_long(record, events, order);
    loss_of(record, events, order);
    mapped_build_id(record, order);
    if (record.type == kRecordBpfMetadata) read_bpf_metadata(record, order);
    const Record bare = events.without_trailer(record, order);
    threads.apply(bare, order);
    cgroups.apply(bare, order);
    maps.apply(bare, order);
    threads.comm(5, 6);
    for (const std::uint64_t address : {0x1000, 0x400010})
      maps.of(5).find(maps.of(5).file_offset(address), record.misc & 1);
  }
  return 0;
}

}  // namespace evname::fuzz::record_target
