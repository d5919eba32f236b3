#include "recordings/session/delivery.hpp"

#include <fmt/format.h>

namespace evname::perfdata::session {
namespace {

constexpr SampleTail kNoTail;

}  // namespace

Delivery::Delivery(const stream::File& file, SampleSink& sink, const PassOptions& options)
    : file_(file),
      sink_(sink),
      threads_only_(options.threads_only),
      stepwise_(options.stepwise),
      follow_maps_(options.maps),
      damage_(options.damage),
      maps_(file.features.build_ids, [this] { sink_.before_mapping(); }) {}

bool Delivery::deliver(const Record& record, const Event* event) {
  const std::endian order = file_.header.order;
  if (!event) {
    if (tally_.unknown_ids++ == 0) warnings_.add(record.offset, "sample of an unknown event id");
    return true;
  }
  SampleCore core;
  const char* fault = nullptr;
  if (!threads_only_ || event->has_tail)
    fault = parse_sample(record, *event, order, core, tail_);
  else if (!parse_thread(record, *event, order, core))
    fault = "fixed part";
  if (fault) {
    if (tally_.malformed++ == 0)
      warnings_.add(record.offset, fmt::format("sample is too short for its {}", fault));
    return true;
  }
  ++tally_.samples;
  const std::size_t unread = event->has_tail ? tail_.unread
                                             : record.bytes.size() - kRecordHeader -
                                                   static_cast<std::size_t>(event->sample.size);
  if (unread > 0 && is_too_long(*event, unread)) count_too_long(record);
  if (event->attr.has(kDeferCallchain)) deferred_.complete(core, order, tail_);
  const SampleView view{
      *event,
      core,
      event->has_tail ? tail_ : kNoTail,
      threads_.comm(core.pid, core.tid),
      record,
      maps_.of(core.pid),
      event->attr.samples(kSampleCgroup) ? cgroups_.path(tail_.cgroup) : std::string_view{}};
  ended_ |= !(event->attr.samples(kSampleRead) ? deliver_values(view) : sink_.sample(view));
  return !ended_ && !stepwise_;
}

bool Delivery::deliver_values(const SampleView& view) {
  SampleCore core = view.core;
  const auto deliver = [&](std::uint64_t id, std::uint64_t period) {
    const Event* event = file_.events.of_id(id);
    if (!event && tally_.unknown_values++ == 0)
      warnings_.add(view.record.offset, "counter value of an unknown event id");
    if (!event) return true;
    core.id = id;
    core.period = period;
    return sink_.sample({*event, core, view.tail, view.comm, view.record, view.maps, view.cgroup});
  };
  return values_.split(view.event, view.core, view.tail.read, file_.header.order, deliver);
}

bool Delivery::learn(const Record& record) {
  const Record bare = file_.events.without_trailer(record, file_.header.order);
  sink_.other(bare);
  if (!is_known_type(record.type)) {
    count_unknown(record);
  } else if (!follow(bare)) {
    if (tally_.malformed_others++ == 0)
      warnings_.add(record.offset, fmt::format("record of type {} is too short", record.type));
  }
  check_length(record);
  count_lost(record);
  return true;
}

void Delivery::check_length(const Record& record) {
  if (is_too_long(record, file_.events, file_.header.order)) count_too_long(record);
}

void Delivery::count_too_long(const Record& record) {
  if (too_long_++ == 0)
    warnings_.add(record.offset,
                  fmt::format("record of type {} is longer than what is in it", record.type));
}

bool Delivery::follow(const Record& record) {
  bool mapped = true;
  if (follow_maps_ && AddressMaps::follows(record.type))
    mapped = maps_.apply(record, file_.header.order);
  return threads_.apply(record, file_.header.order) && cgroups_.apply(record, file_.header.order) &&
         mapped;
}

void Delivery::count_lost(const Record& record) {
  const Loss loss = loss_of(record, file_.events, file_.header.order);
  tally_.lost += loss.lost;
  if (loss.lost > 0) sink_.lost(loss.event, loss.lost, loss.time);
  if (loss.throttled > 0) sink_.throttled(loss.event);
}

void Delivery::count_unknown(const Record& record) {
  if (tally_.unknown_records++ == 0)
    warnings_.add(record.offset, fmt::format("unknown record type {}", record.type));
}

void Delivery::summarize(std::uint64_t late) {
  tally_.late = late;
  const struct {
    std::uint64_t count;
    const char* what;
  } kRows[] = {{tally_.unknown_ids, "samples have an id that no event of the file has"},
               {tally_.malformed, "samples are shorter than their event says"},
               {tally_.malformed_others, "records of other types are too short"},
               {tally_.unknown_values, "counter values have an id that no event of the file has"},
               {tally_.unknown_records, "records are of unknown types"},
               {too_long_, "records are longer than what is in them, which may hide others"},
               {deferred_.missing(),
                "samples have no user part of their callchain: it was to follow, and did not"},
               {tally_.late, "records came too late to be put in order"}};
  for (const auto& row : kRows)
    if (row.count > 0) warnings_.add(fmt::format("{} {}", row.count, row.what));
  tally_.warnings = warnings_.take();
}

}  // namespace evname::perfdata::session
