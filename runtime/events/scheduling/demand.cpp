#include "events/scheduling/demand.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "events/machine/groups.hpp"
#include "events/machine/lookup.hpp"
#include "events/syntax/kernel_names.hpp"
#include "evname/attr.hpp"

namespace evname::scheduling {
namespace {

unsigned bits_of(const AttrBits& bits) {
  unsigned out = bits.precise_ip;
  for (const bool bit : {bits.exclude_user, bits.exclude_kernel, bits.exclude_hv, bits.exclude_host,
                         bits.exclude_guest, bits.exclude_idle})
    out = out << 1 | bit;
  return out;
}

/// Returns true if it leads others.
bool is_led(std::span<const Encoding> events, std::size_t leader) {
  for (std::size_t i = leader + 1; i < events.size(); ++i)
    if (events[i].leader == leader) return true;
  return false;
}

class Collector {
 public:
  Collector(const detail::MachineState& state, std::span<const Encoding> events)
      : state_(state), events_(events) {}

  std::vector<PmuEvents> run() {
    for (const Encoding& e : events_)
      if (const auto pmu = pmu_of(state_, e); pmu && name_on(*pmu, e) == state_.pmus[*pmu].pmu.name)
        whole_.insert(*pmu);
    for (std::size_t first = 0, end; first < events_.size(); first = end) {
      end = first + 1;
      while (end < events_.size() && events_[end].leader == events_[first].leader) ++end;
      add_group(first, end);
    }
    drop_repeated();
    return std::move(pmus_);
  }

 private:
  /// Returns the name of the PMU, or of the box of it that the event is for.
  std::string_view name_on(std::size_t pmu, const Encoding& e) const {
    const pmu::Pmu& at = state_.pmus[pmu].pmu;
    return pmu::box_name(e.pmu, at).empty() ? std::string_view(at.name) : e.pmu;
  }

  PmuEvents& pmu_of_group(std::size_t first, std::size_t end) {
    std::optional<std::size_t> pmu;
    std::string_view name = kNoPmu;
    for (std::size_t i = first; i < end && !pmu; ++i) {
      pmu = pmu_of(state_, events_[i]);
      if (pmu)
        name = whole_.contains(*pmu) ? state_.pmus[*pmu].pmu.name : name_on(*pmu, events_[i]);
    }
    for (PmuEvents& one : pmus_)
      if (one.pmu == pmu && one.name == name) return one;
    pmus_.push_back({pmu, std::string(name), {}, {}});
    return pmus_.back();
  }

  void add_group(std::size_t first, std::size_t end) {
    PmuEvents& one = pmu_of_group(first, end);
    Bundle bundle;
    std::set<EventKey> seen;
    for (std::size_t i = first; i < end; ++i) {
      if (!seen.insert(key_of(events_[i])).second) continue;
      bundle.push_back(one.events.size());
      one.events.push_back(i);
    }
    one.bundles.push_back(std::move(bundle));
  }

  /// Returns the bundle of each event. An event that is both in a group and alone is counted in the
  /// group.
  std::map<EventKey, const Bundle*> places() const {
    std::map<EventKey, const Bundle*> out;
    for (const bool grouped : {true, false})
      for (const PmuEvents& one : pmus_)
        for (const Bundle& bundle : one.bundles)
          for (const std::size_t event : bundle)
            if ((bundle.size() > 1) == grouped)
              out.try_emplace(key_of(events_[one.events[event]]), &bundle);
    return out;
  }

  void drop_repeated() {
    const auto place = places();
    for (PmuEvents& one : pmus_) {
      const auto is_elsewhere = [&](const Bundle& bundle) {
        return place.at(key_of(events_[one.events[bundle.front()]])) != &bundle;
      };
      std::vector<Bundle> kept;
      for (const Bundle& bundle : one.bundles)
        if (bundle.size() > 1 || !is_elsewhere(bundle)) kept.push_back(bundle);
      one.bundles = std::move(kept);
    }
    std::erase_if(pmus_, [](const PmuEvents& one) { return one.bundles.empty(); });
  }

  const detail::MachineState& state_;
  std::span<const Encoding> events_;
  std::vector<PmuEvents> pmus_;
  std::set<std::size_t> whole_;  ///< PMUs that have an event for all of their boxes
};

}  // namespace

bool is_on_any_core(const Encoding& encoding) {
  const bool generic =
      is_type(encoding.code, kTypeHardware) || is_type(encoding.code, kTypeHwCache);
  return generic && encoding.pmu == syntax::generic_type_name(encoding.code.type);
}

std::optional<Code> generic_code(const Encoding& encoding) {
  for (const std::uint32_t type : {kTypeHardware, kTypeHwCache}) {
    if (is_type(encoding.code, type))
      return make_code(type, {encoding.code.config[0] & 0xffffffff});
    if (encoding.has_config()) continue;
    const std::string terms = encoding.terms();
    const std::string start = fmt::format("{}=", syntax::legacy_term(type));
    if (!terms.starts_with(start)) continue;
    const std::string_view value = std::string_view(terms).substr(start.size());
    if (const auto config = parse_number(value.substr(0, value.find(','))))
      return make_code(type, {*config});
  }
  return std::nullopt;
}

std::optional<std::size_t> pmu_of(const detail::MachineState& state, const Encoding& encoding) {
  if (machine::is_software(encoding)) return std::nullopt;
  if (!is_on_any_core(encoding)) return machine::pmu_of_name(state, encoding.pmu);
  for (std::size_t i = 0; i < state.pmus.size(); ++i)
    if (state.pmus[i].pmu.is_core) return i;
  return std::nullopt;
}

EventKey key_of(const Encoding& e) {
  return {e.pmu,
          e.code.has_type ? std::optional(e.code.type) : std::nullopt,
          words_of(e.code),
          e.bp_type,
          bits_of(e.bits),
          e.has_config() ? std::string() : e.terms()};
}

std::vector<PmuEvents> collect(const detail::MachineState& state,
                               std::span<const Encoding> events) {
  return Collector(state, events).run();
}

std::vector<Encoding> for_each_core(const detail::MachineState& state,
                                    std::span<const Encoding> events) {
  std::vector<std::string_view> cores;
  for (const machine::BoundPmu& bound : state.pmus)
    if (bound.pmu.is_core) cores.push_back(bound.pmu.name);
  std::vector<Encoding> out;
  std::vector<std::size_t> leaders(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Encoding& e = events[i];
    const bool follows = e.leader < i;
    leaders[i] = follows ? leaders[e.leader] : out.size();
    const bool grouped = follows || is_led(events, i);
    const bool spread = cores.size() > 1 && is_on_any_core(e);
    for (std::size_t n = 0; n < (spread ? cores.size() : 1); ++n) {
      out.push_back(e);
      if (spread) out.back().pmu = cores[n];
      out.back().leader = grouped ? leaders[i] : out.size() - 1;
    }
  }
  return out;
}

}  // namespace evname::scheduling
