// Records of an event of any kind. The input is the attr, then a stream of records.

#include "fuzz/input.hpp"
#include "fuzz/target.hpp"
#include "perf_format/features.hpp"
#include "perf_format/typed_records.hpp"
#include "recordings/session/address_maps.hpp"
#include "recordings/session/processes.hpp"
#include "recordings/session/record_cursor.hpp"
#include "recordings/session/record_order.hpp"

namespace evname::fuzz::record_target {

namespace {

using namespace evname::perf_format;
using namespace evname::session;

void read_sample(const perf_format::Record& record, const perf_format::Event& event,
                 std::endian order, GroupValues& values) {
  perf_format::SampleRecord sample;
  sample.record = record;
  perf_format::parse_thread(event, order, sample);
  if (perf_format::parse_sample(event, order, sample)) return;
  perf_format::is_too_long(event, sample.unread);
  if (!event.attr.samples(perf_format::kSampleRead)) return;
  values.begin(sample, order);
  for (std::uint64_t id, period; values.next(id, period);) {
  }
}

}  // namespace

FUZZ_TARGET(record, data, size) {
  constexpr std::size_t kAttr = 136;
  if (size < kAttr + 1) return 0;
  const std::endian order = data[kAttr] & 1 ? std::endian::big : std::endian::little;
  perf_format::Events events;
  events.add(perf_format::decode_attr({data, kAttr}, order), {1});
  if (data[kAttr] & 4) events.at(0).set_name("offcpu-time");
  if (data[kAttr] & 2) events.add(perf_format::decode_attr({data, kAttr}, order), {2});
  perf_format::RecordReader reader({data + kAttr + 1, size - kAttr - 1}, order);
  const std::vector<perf_format::BuildId> ids{{.id = {1, 2, 3}, .file = "/bin/true"}};
  AddressMaps maps(ids);
  Cgroups cgroups;
  Threads threads;
  GroupValues values;
  for (perf_format::Record record;
       reader.next(record) || (reader.fault() && reader.resync() && reader.next(record));) {
    record_time(record, events, order);
    perf_format::record_name(record.type);
    const perf_format::Event* event = events.of_sample(record, order);
    if (record.type == perf_format::kRecordSample && event)
      read_sample(record, *event, order, values);
    perf_format::is_too_long(record, events, order);
    perf_format::loss_of(record, events, order);
    perf_format::mapped_build_id(record, order);
    if (record.type == perf_format::kRecordBpfMetadata)
      perf_format::read_bpf_metadata(record, order);
    const perf_format::Record bare = events.without_trailer(record, order);
    evname::Record typed{.content = perf_format::content_of(bare, order)};
    if (const auto* const names = typed.as<evname::Record::Namespaces>())
      for (std::size_t i = 0; i < names->links.size(); ++i) typed.offset += names->links[i];
    if (const perf_format::Event* other = events.of_other(record, order))
      perf_format::read_identity(record.bytes.subspan(bare.bytes.size()), *other, order, typed);
    threads.apply(bare, order);
    cgroups.apply(bare, order);
    maps.apply(bare, order);
    threads.comm(5, 6);
    for (const std::uint64_t address : {0x1000, 0x400010})
      maps.of(5).find(maps.of(5).find(address, false).offset_of(address), record.misc & 1);
  }
  return 0;
}

}  // namespace evname::fuzz::record_target
