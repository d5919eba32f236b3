#include "perfdata/stream/recorded_names.hpp"

#include <unordered_map>

namespace evname::perfdata {
namespace {

class Matcher {
 public:
  explicit Matcher(Events& events) : events_(events) {}

  bool by_ids(const EventDesc& desc) {
    for (std::uint64_t id : desc.ids) {
      const std::uint32_t index = events_.index_of(id);
      if (index != IdMap::kNone) return give(index, desc);
    }
    return false;
  }
  bool by_attr(const EventDesc& desc) {
    for (std::size_t i = 0; i < events_.size(); ++i)
      if (!events_.at(i).name && events_.at(i).attr == desc.attr) return give(i, desc);
    return false;
  }
  bool give(std::size_t index, const EventDesc& desc) {
    if (index >= events_.size() || events_.at(index).name) return false;
    events_.at(index).name = desc.name;
    return true;
  }

 private:
  Events& events_;
};

void name_tracepoints(const Features& features, Events& events) {
  std::unordered_map<std::uint64_t, const TraceFormat*> formats;
  for (const TraceFormat& format : features.tracing.formats)
    formats.try_emplace(format.id, &format);
  for (std::size_t i = 0; i < events.size(); ++i) {
    Event& event = events.at(i);
    const auto at = formats.find(event.attr.config);
    if (!event.name && event.attr.type == kTypeTracepoint && at != formats.end())
      event.name = at->second->system + ':' + at->second->name;
  }
}

}  // namespace

void name_events(const Features& features, Events& events) {
  // by_attr is quadratic: enough for real files, and not for hostile ones.
  constexpr std::size_t kSearched = 4096;
  Matcher matcher(events);
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < features.event_desc.size(); ++i)
    if (!matcher.by_ids(features.event_desc[i])) left.push_back(i);
  const bool search = events.size() <= kSearched && left.size() <= kSearched;
  std::vector<std::size_t> unmatched;
  for (std::size_t i : left)
    if (!search || !matcher.by_attr(features.event_desc[i])) unmatched.push_back(i);
  for (std::size_t i : unmatched) matcher.give(i, features.event_desc[i]);
  name_tracepoints(features, events);
  for (const GroupDesc& group : features.groups) events.add_group(group.leader, group.members);
}

}  // namespace evname::perfdata
