#include "resolver/suggest.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "base/nearest_names.hpp"
#include "base/text.hpp"

namespace evname::event {
namespace {

constexpr std::size_t kMaxName = 128;  // longer texts are no misspelled names

/// How near names are to one that was given.
class Nearest {
 public:
  explicit Nearest(std::string_view name)
      : name_(to_lower(name)), bound_(std::clamp<std::size_t>(name.size() / 4, 1, 6)) {}

  void offer(std::string_view candidate) {
    const std::string lower = to_lower(candidate);
    const std::size_t score = distance(lower);
    if (score > 2 * bound_) return;
    near_.offer(score, lower);
  }

  std::string hint() const { return near_.hint(); }

 private:
  std::size_t edits(std::string_view candidate) const {
    const std::size_t longer = std::max(candidate.size(), name_.size());
    const std::size_t shorter = std::min(candidate.size(), name_.size());
    return longer - shorter > bound_ ? bound_ + 1 : edit_distance(name_, candidate);
  }

  /// Edits count double; a name that goes on where the given one ends, or holds it, is near too.
  std::size_t distance(std::string_view candidate) const {
    const std::size_t edited = 2 * edits(candidate);
    if (name_.size() < 3) return edited;
    if (candidate.starts_with(name_)) return std::min<std::size_t>(edited, 1);
    if (candidate.find(name_) != std::string_view::npos) return std::min<std::size_t>(edited, 2);
    return edited;
  }

  std::string name_;
  std::size_t bound_;
  NearestNames near_;
};

}  // namespace

std::string suggest_events(const detail::MachineState& state, std::string_view name) {
  if (name.size() > kMaxName) return {};
  Nearest nearest(name);
  std::set<const tables::Model*> seen;
  const auto offer_model = [&](const tables::ModelView& view) {
    if (!view || !seen.insert(view.model).second) return;
    for (const tables::PmuEvents& list : view.pmus())
      for (std::size_t i = 0; i < list.count; ++i)
        nearest.offer(view.arch().text(view.event(list, i).name));
  };
  offer_model(state.match.model);
  for (const detail::BoundPmu& bound : state.pmus) {
    offer_model(bound.model);
    for (const detail::OtherEvent& system : bound.system)
      nearest.offer(system.model.arch().text(system.event->name));
    for (const pmu::SysfsEvent& event : bound.pmu.events) nearest.offer(event.name);
  }
  return nearest.hint();
}

std::string suggest_pmus(const detail::MachineState& state, std::string_view name) {
  if (name.size() > kMaxName) return {};
  Nearest nearest(name);
  for (const detail::BoundPmu& bound : state.pmus) nearest.offer(bound.pmu.name);
  return nearest.hint();
}

}  // namespace evname::event
