// Puts events into perf's groups and order. Sources: parse_events__sort_events_and_fix_groups of
// tools/perf/util/parse-events.c, arch_evlist__cmp and arch_evlist__add_required_events of
// tools/perf/arch/x86/util.
#include "events/machine/groups.hpp"

#include <algorithm>
#include <iterator>
#include <list>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/access.hpp"
#include "events/machine/encoding_access.hpp"
#include "events/machine/lookup.hpp"
#include "events/syntax/kernel_names.hpp"

namespace evname::machine {
namespace {

/// Source: `auxtrace` of util/pmu.h, set in arch/x86/util/pmu.c and arch/arm/util/pmu.c.
constexpr std::string_view kAuxPmus[] = {"intel_pt", "intel_bts", "cs_etm", "arm_spe", "hisi_ptt"};

// Source: arch/x86/util/topdown.c, which knows these events by their codes.
constexpr std::uint64_t kSlots = 0x400;

bool is_slots(const Encoding& e) {
  return is_type(e.code, kTypeRaw) && e.code.config[0] == kSlots && e.code.config[1] == 0;
}

bool is_topdown(const Encoding& e) {
  return is_type(e.code, kTypeRaw) && (e.code.config[0] & 0xfffff8ff) == 0x8000 &&
         e.code.config[1] == 0;
}

/// Returns true if the core PMU of a type has an event of this name.
bool core_has(const detail::MachineState& state, std::uint32_t type, std::string_view event) {
  return std::ranges::any_of(state.pmus, [&](const machine::BoundPmu& bound) {
    return bound.pmu.is_core && bound.pmu.type == type &&
           static_cast<bool>(machine::find_alias(bound, event));
  });
}

bool has_letter(const Encoding& e, char letter) {
  return e.modifiers.find(letter) != e.modifiers.npos;
}

/// Puts events into perf's order and groups.
class Regrouper {
 public:
  Regrouper(const detail::MachineState& state, std::vector<Encoding> encodings);

  std::vector<Encoding> run();
  OpeningOrder opening();

 private:
  /// One event. set_leaders() replaces the leader as written by the final one.
  struct Member {
    std::string_view pmu;  ///< the PMU of its group
    std::size_t leader;
    bool grouped;  ///< the group has other members
    bool forced;   ///< the CPU can only count it in a group with the slots
    bool stays;    ///< has the modifier X
  };

  void add_slots();
  void describe();
  std::string_view pmu_of(const Encoding& e) const;
  std::string_view group_pmu(std::size_t i) const;
  std::size_t place(std::size_t i) const;
  int compare(std::size_t a, std::size_t b) const;
  int compare_topdown(std::size_t a, std::size_t b) const;
  std::vector<std::size_t> sorted() const;
  void join_aux(std::span<const std::size_t> order);
  std::vector<std::size_t> arranged();
  bool another_is_forced(std::span<const std::size_t> rest, std::size_t leader) const;
  void set_leaders(std::span<const std::size_t> order);
  std::vector<std::size_t> gathered(const std::vector<std::size_t>& order) const;

  const detail::MachineState& state_;
  std::vector<Encoding> in_;
  std::vector<Member> members_;
  bool has_slots_ = false;                ///< the CPU's core PMU offers them
  std::optional<std::size_t> forced_at_;  ///< place of forced events
};

Regrouper::Regrouper(const detail::MachineState& state, std::vector<Encoding> encodings)
    : state_(state), in_(std::move(encodings)) {
  if (state.cpu.arch != "x86" || std::none_of(in_.begin(), in_.end(), [](const Encoding& e) {
        return is_topdown(e) || is_slots(e);
      }))
    return;
  has_slots_ = core_has(state, kTypeRaw, "slots");
}

/// The CPU counts topdown metrics only together with slots, so perf adds missing slots.
void Regrouper::add_slots() {
  const auto metric = std::find_if(in_.begin(), in_.end(), is_topdown);
  if (!has_slots_ || metric == in_.end() || std::any_of(in_.begin(), in_.end(), is_slots)) return;
  Encoding slots;
  slots.pmu = metric->pmu;
  slots.code = make_code(kTypeRaw, {kSlots});
  slots.modifiers = metric->modifiers;
  std::erase(slots.modifiers, 'X');
  slots.bits = metric->bits;
  slots.leader = metric->leader;
  slots.model = metric->model;
  slots.matched_by = metric->matched_by;
  slots.source = Source::sysfs;
  detail::EncodingAccess::own(slots, {"slots", "event=0x0,umask=0x4", {}});
  in_.push_back(std::move(slots));
}

/// Generic events, and events of an unknown type, belong to the first core PMU.
std::string_view Regrouper::pmu_of(const Encoding& e) const {
  const bool generic = is_type(e.code, kTypeHardware) || is_type(e.code, kTypeHwCache);
  const bool named = pmu_of_name(state_, e.pmu).has_value();
  if (named && !(generic && e.pmu == syntax::generic_type_name(e.code.type))) return e.pmu;
  for (const machine::BoundPmu& bound : state_.pmus)
    if (bound.pmu.is_core) return bound.pmu.name;
  return e.pmu;
}

/// A software event takes the PMU of its leader or, if that is a software event, of the group's
/// first other event. An AUX event gives its PMU to its whole group.
std::string_view Regrouper::group_pmu(std::size_t i) const {
  const std::size_t leader = in_[i].leader;
  if (is_aux(in_[leader].pmu)) return in_[leader].pmu;
  if (!is_software(in_[i])) return pmu_of(in_[i]);
  if (!is_software(in_[leader])) return pmu_of(in_[leader]);
  for (const Encoding& e : in_)
    if (e.leader == leader && !is_software(e)) return pmu_of(e);
  return in_[i].pmu;
}

void Regrouper::describe() {
  members_.reserve(in_.size());
  for (std::size_t i = 0; i < in_.size(); ++i)
    members_.push_back({group_pmu(i), in_[i].leader, false,
                        has_slots_ && (is_topdown(in_[i]) || is_slots(in_[i])),
                        has_letter(in_[i], 'X')});
  for (std::size_t i = 0; i < in_.size(); ++i) {
    if (members_[i].leader != i) members_[i].grouped = members_[members_[i].leader].grouped = true;
    if (members_[i].forced && !forced_at_) forced_at_ = members_[i].leader;
  }
}

std::size_t Regrouper::place(std::size_t i) const {
  const Member& row = members_[i];
  if (row.stays) return i;
  if (row.forced) return *forced_at_;
  return row.grouped ? row.leader : i;
}

/// Slots come first, and metrics go to them from other groups. 0: neither decides.
int Regrouper::compare_topdown(std::size_t a, std::size_t b) const {
  if (!members_[a].forced && !members_[b].forced) return 0;
  if (is_slots(in_[a])) return -1;
  if (is_slots(in_[b])) return 1;
  if (members_[a].leader == members_[b].leader) return 0;
  return static_cast<int>(is_topdown(in_[b])) - static_cast<int>(is_topdown(in_[a]));
}

int Regrouper::compare(std::size_t a, std::size_t b) const {
  if (place(a) != place(b)) return place(a) < place(b) ? -1 : 1;
  if (const int order = members_[a].pmu.compare(members_[b].pmu); order != 0) return order;
  if (const int order = compare_topdown(a, b); order != 0) return order;
  const bool latency = has_letter(in_[a], 'R');  // can't lead
  if (latency != has_letter(in_[b], 'R')) return latency ? 1 : -1;
  return a < b ? -1 : 1;
}

/// perf's rules are not a strict order if slots are given twice; sorting a list works nevertheless.
std::vector<std::size_t> Regrouper::sorted() const {
  std::list<std::size_t> order(in_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  order.sort([&](std::size_t a, std::size_t b) { return compare(a, b) < 0; });
  return {order.begin(), order.end()};
}

bool Regrouper::another_is_forced(std::span<const std::size_t> rest, std::size_t leader) const {
  return std::any_of(rest.begin(), rest.end(), [&](std::size_t i) {
    return members_[i].leader == leader && members_[i].forced;
  });
}

/// Splits groups by PMU, and gathers forced events in one.
void Regrouper::set_leaders(std::span<const std::size_t> order) {
  std::optional<std::size_t> leader, forced_leader;
  std::size_t group = 0;  // the leader, as written, of the events that follow `leader`
  bool after_forced_leader = false;
  for (std::size_t at = 0; at < order.size(); ++at) {
    const std::size_t i = order[at];
    Member& row = members_[i];
    const bool forced = row.forced && !row.stays;
    if (!leader || row.stays) {
      leader = group = row.stays ? row.leader : i;
      if (forced) forced_leader = i;
    }
    if (members_[*leader].pmu != row.pmu) {
      leader = i;
      group = row.leader;
      if (forced && !forced_leader) forced_leader = i;
    } else if (group != row.leader) {
      const bool joins =
          forced_at_ && after_forced_leader && another_is_forced(order.subspan(at + 1), row.leader);
      if (!joins && forced && !forced_leader) {
        leader = group = i;
        forced_leader = i;
      } else if (!joins) {
        leader = forced ? *forced_leader : i;
        group = members_[*leader].leader;
      }
    }
    row.leader = *leader;
    after_forced_leader = forced_leader == i;
  }
}

/// Each group at the place of its first event (evlist__splice_list_tail).
std::vector<std::size_t> Regrouper::gathered(const std::vector<std::size_t>& order) const {
  std::vector<std::vector<std::size_t>> followers(members_.size());
  for (const std::size_t i : order)
    if (members_[i].leader != i) followers[members_[i].leader].push_back(i);
  std::vector<std::size_t> out;
  std::vector<bool> has(members_.size());
  const auto add = [&](std::size_t i) {
    if (!has[i]) out.push_back(i);
    has[i] = true;
  };
  for (const std::size_t i : order) {
    const bool is_first = !has[i];
    add(i);
    if (is_first) std::ranges::for_each(followers[i], add);
  }
  return out;
}

/// An event with aux-action joins the group of the AUX event before it, with all events between
/// them, unless these have their own group (evlist__regroup of util/auxtrace.c).
void Regrouper::join_aux(std::span<const std::size_t> order) {
  std::vector<std::size_t> members(members_.size());
  for (const Member& row : members_) ++members[row.leader];
  std::optional<std::size_t> aux;
  std::size_t first = 0;  // in `order`, of events that did not join
  for (std::size_t at = 0; at < order.size(); ++at) {
    const std::size_t i = order[at];
    if (is_aux(in_[i].pmu)) {
      aux = members_[i].leader == i ? std::optional(i) : std::nullopt;
      first = at + 1;
    } else if (aux && in_[i].aux_action != 0) {
      const auto joining = order.subspan(first, at + 1 - first);
      const bool free = std::all_of(joining.begin(), joining.end(), [&](std::size_t other) {
        const std::size_t leader = members_[other].leader;
        return leader == *aux || (leader == other && members[other] == 1);
      });
      for (const std::size_t other : joining)
        if (free) members_[other].leader = *aux;
      if (!free) aux.reset();
      first = at + 1;
    }
  }
}

std::vector<std::size_t> Regrouper::arranged() {
  add_slots();
  describe();
  std::vector<std::size_t> order = sorted();
  set_leaders(order);
  order = gathered(order);
  join_aux(order);
  return order;
}

OpeningOrder Regrouper::opening() {
  OpeningOrder out;
  out.order = arranged();
  for (const Member& row : members_) {
    out.leaders.push_back(row.leader);
    out.pmus.push_back(row.pmu);
  }
  return out;
}

std::vector<Encoding> Regrouper::run() {
  const std::vector<std::size_t> order = arranged();
  std::vector<std::size_t> place_of(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) place_of[order[at]] = at;
  std::vector<Encoding> out;
  out.reserve(order.size());
  for (const std::size_t i : order) {
    out.push_back(std::move(in_[i]));
    out.back().leader = place_of[members_[i].leader];
  }
  return out;
}

}  // namespace

bool is_aux(std::string_view pmu) {
  return std::any_of(std::begin(kAuxPmus), std::end(kAuxPmus), [&](std::string_view name) {
    return pmu.starts_with(name) &&
           (pmu.size() == name.size() || pmu[name.size()] == '_' || name.starts_with("hisi"));
  });
}

bool is_software(const Encoding& e) {
  return is_type(e.code, kTypeSoftware) || is_type(e.code, kTypeTracepoint) ||
         is_type(e.code, kTypeBreakpoint) || is_type(e.code, kTypeTool) || e.pmu == "kprobe" ||
         e.pmu == "uprobe" || e.pmu == "msr";
}

OpeningOrder opening_order(const detail::MachineState& state, std::vector<Encoding> encodings) {
  return Regrouper(state, std::move(encodings)).opening();
}

std::size_t sampled_member(const Machine& machine, std::span<const Encoding> events,
                           std::size_t leader) {
  constexpr std::uint64_t kMemLoadsAux = 0x8203;  // arch/x86/util/mem-events.c
  const detail::MachineState& state = detail::state_of(machine);
  const Encoding& first = events[leader];
  std::vector<std::size_t> followers;
  for (std::size_t i = 0; i < events.size(); ++i)
    if (i != leader && events[i].leader == leader) followers.push_back(i);
  const bool is_x86 = state.cpu.arch == "x86";
  const bool counts_slots =
      is_x86 && is_slots(first) && core_has(state, kTypeRaw, "slots") &&
      std::ranges::any_of(followers, [&](std::size_t i) { return is_topdown(events[i]); });
  const bool counts_loads = is_x86 && first.code.has_type != 0 &&
                            first.code.config[0] == kMemLoadsAux &&
                            core_has(state, first.code.type, "mem-loads-aux");
  const bool samples_itself = !is_aux(first.pmu) && !counts_slots && !counts_loads;
  return samples_itself || followers.empty() ? leader : followers.front();
}

}  // namespace evname::machine

namespace evname {

std::vector<Encoding> Machine::regroup(std::vector<Encoding> encodings) const {
  for (std::size_t i = 0; i < encodings.size(); ++i)
    if (encodings[i].leader >= encodings.size()) encodings[i].leader = i;
  return machine::Regrouper(*state_, std::move(encodings)).run();
}

}  // namespace evname
