// Groups: in which order perf opens events and which event leads each, and the terms that depend on
// it. Sources: parse_events__sort_events_and_fix_groups of tools/perf/util/parse-events.c,
// arch_evlist__cmp and arch_evlist__add_required_events of tools/perf/arch/x86/util.
#include "events/machine/groups.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <list>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/access.hpp"
#include "base/text.hpp"
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

/// The order in which perf opens events, and which event leads each. Both are indexes into the
/// events as they were given; one more, if perf adds slots.
struct OpeningOrder {
  std::vector<std::size_t> order;
  std::vector<std::size_t> leaders;    ///< by index, not by place in `order`
  std::vector<std::string_view> pmus;  ///< by index: the one that the event's group is of
};

/// Puts events into the order and the groups in which perf opens them.
class Regrouper {
 public:
  Regrouper(const detail::MachineState& state, std::vector<Encoding> encodings);

  std::vector<Encoding> run();
  OpeningOrder opening();

 private:
  /// One event. The leader is the one as written until set_leaders() has put it right.
  struct Member {
    std::string_view pmu;  ///< the one its group has to be of
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
  std::optional<std::size_t> forced_at_;  ///< where forced events are gathered
};

Regrouper::Regrouper(const detail::MachineState& state, std::vector<Encoding> encodings)
    : state_(state), in_(std::move(encodings)) {
  if (state.cpu.arch != "x86" || std::none_of(in_.begin(), in_.end(), [](const Encoding& e) {
        return is_topdown(e) || is_slots(e);
      }))
    return;
  has_slots_ = core_has(state, kTypeRaw, "slots");
}

/// The CPU counts topdown metrics only beside its slots, which perf adds where they are missing.
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

/// Generic events, and those of a type that no PMU has, are the first core PMU's.
std::string_view Regrouper::pmu_of(const Encoding& e) const {
  const bool generic = is_type(e.code, kTypeHardware) || is_type(e.code, kTypeHwCache);
  const bool named = std::any_of(state_.pmus.begin(), state_.pmus.end(),
                                 [&](const auto& bound) { return bound.pmu.name == e.pmu; });
  if (named && !(generic && e.pmu == syntax::generic_type_name(e.code.type))) return e.pmu;
  for (const machine::BoundPmu& bound : state_.pmus)
    if (bound.pmu.is_core) return bound.pmu.name;
  return e.pmu;
}

/// A software event takes the PMU of its leader or, if that is software too, of the first other;
/// an AUX event gives its PMU to all that it leads.
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

/// perf's rules are no strict order where slots are given twice; a list can be sorted all the same.
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

/// An event with aux-action goes into the group of the AUX event before it, with all between them,
/// if those are in no group of their own (evlist__regroup of util/auxtrace.c).
void Regrouper::join_aux(std::span<const std::size_t> order) {
  std::vector<std::size_t> members(members_.size());
  for (const Member& row : members_) ++members[row.leader];
  std::optional<std::size_t> aux;
  std::size_t first = 0;  // in `order`, of those that did not join
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

constexpr std::string_view kRatio = "ratio-to-prev", kAuxAction = "aux-action";

/// Source: aux_action_opts of util/auxtrace.c.
struct Action {
  std::string_view word;
  std::uint32_t bit;
  bool of_aux;  ///< for the AUX event itself; else for others of its group
};
constexpr Action kActions[] = {
    {"start-paused", 1, true}, {"pause", 2, false}, {"resume", 4, false}};

void change_texts(Encoding& e, std::string_view term, std::string warning) {
  detail::EncodingTexts texts{std::string(e.name), e.terms(), {}};
  if (!term.empty()) texts.terms.append(texts.terms.empty() ? "" : ",").append(term);
  texts.sampling_terms = detail::EncodingAccess::sampling_terms(e);
  texts.warnings.assign(e.warnings().begin(), e.warnings().end());
  if (!warning.empty()) texts.warnings.push_back(std::move(warning));
  detail::EncodingAccess::own(e, std::move(texts));
}

void warn(Encoding& e, std::string warning) { change_texts(e, {}, std::move(warning)); }

void set_action(const tables::Term& term, Encoding& e) {
  const auto* const action = std::find_if(std::begin(kActions), std::end(kActions),
                                          [&](const Action& one) { return one.word == term.text; });
  if (action == std::end(kActions))
    return warn(e, fmt::format("perf record refuses aux-action={}: there are start-paused, pause "
                               "and resume",
                               term.text));
  e.aux_action = action->bit;
  if (action->of_aux == is_aux(e.pmu)) return;
  warn(e, fmt::format("perf record refuses this: aux-action={} is for {}", action->word,
                      action->of_aux ? "AUX events, such as intel_pt//"
                                     : "the other events of a group that an AUX event leads"));
}

/// Returns the number as a period, nullopt if it can be none.
std::optional<std::uint64_t> whole(double period) {
  if (!(period >= 0 && period < 0x1p64)) return std::nullopt;
  return static_cast<std::uint64_t>(period);
}

std::string without(std::string_view why) {
  return fmt::format("perf record takes no notice of ratio-to-prev: {}", why);
}

/// Applies one ratio-to-prev to the events in the order in which perf opens them.
class Ratio {
 public:
  Ratio(const detail::MachineState& state, const OpeningOrder& opening,
        std::span<Encoding* const> all)
      : state_(state), opening_(opening), all_(all) {}

  /// Sets what perf record sets, and returns why it leaves something out; "" if it does not. `at`
  /// is the place of the event in the order, `group` that of its leader.
  std::string apply(std::size_t at, std::size_t group, double ratio) const;

 private:
  const pmu::Pmu* core_pmu(std::size_t i) const;
  std::string reload(const pmu::Pmu& pmu, std::size_t at, std::size_t group) const;

  const detail::MachineState& state_;
  const OpeningOrder& opening_;
  std::span<Encoding* const> all_;
};

const pmu::Pmu* Ratio::core_pmu(std::size_t i) const {
  if (is_software(*all_[i])) return nullptr;
  for (const machine::BoundPmu& bound : state_.pmus)
    if (bound.pmu.is_core && bound.pmu.name == opening_.pmus[i]) return &bound.pmu;
  return nullptr;
}

/// The counter of either event is loaded again when one of them overflows: the field acr_mask has a
/// bit for each place in the group.
std::string Ratio::reload(const pmu::Pmu& pmu, std::size_t at, std::size_t group) const {
  const pmu::Format* const field = pmu.find_format("acr_mask");
  if (field == nullptr || field->word != 2)
    return fmt::format("PMU {} has no field acr_mask", pmu.name);
  const std::size_t i = opening_.order[at];
  Encoding& own = *all_[i];
  Encoding& before = *all_[opening_.order[at - 1]];
  if (!own.has_config() || !before.has_config()) return {};  // their words are not known
  if (before.code.config[2] != 0) return "the event before it has config2 already";
  const std::size_t place = at - group;
  if (place >= 64) return "there are more events before it than acr_mask has bits";
  before.code.config[2] = std::uint64_t{1} << place;
  own.code.config[2] = std::uint64_t{3} << (place - 1);
  for (Encoding* const e : {&before, &own})
    change_texts(*e, fmt::format("acr_mask={:#x}", e->code.config[2]), {});
  return {};
}

std::string Ratio::apply(std::size_t at, std::size_t group, double ratio) const {
  const std::size_t i = opening_.order[at];
  if (opening_.leaders[i] == i || at == 0 || opening_.order[at - 1] >= all_.size())
    return without("no event stands before it in its group");
  const pmu::Pmu* const pmu = core_pmu(i);
  if (pmu == nullptr) return without("it is not an event of a core PMU");
  if (core_pmu(opening_.order[at - 1]) != pmu)
    return without("the event before it is of another PMU");
  std::uint64_t& own = all_[i]->period;
  std::uint64_t& before = all_[opening_.order[at - 1]]->period;
  if (own == 0 && before == 0) return without("neither event has a period");
  std::uint64_t& derived = before != 0 ? own : before;
  const auto period =
      whole(before != 0 ? static_cast<double>(before) * ratio : static_cast<double>(own) / ratio);
  if (!period) return without("the period would have more than 64 bits");
  derived = *period;
  const std::string why = reload(*pmu, at, group);
  if (why.empty()) return {};
  return fmt::format("perf record sets only a period by ratio-to-prev: {}", why);
}

bool is_led_by_aux(const OpeningOrder& opening, std::span<Encoding* const> all, std::size_t i) {
  const std::size_t leader = opening.leaders[i];
  return leader < all.size() && is_aux(all[leader]->pmu);
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

bool RecordTerms::are_in(const syntax::Spec& spec) {
  return std::any_of(spec.terms.begin(), spec.terms.end(), [](const tables::Term& term) {
    return term.value == tables::Term::Value::text &&
           (term.name == kRatio || term.name == kAuxAction);
  });
}

void RecordTerms::note(const syntax::Spec& spec, std::size_t first,
                       std::span<Encoding* const> encodings) {
  for (const tables::Term& term : spec.terms) {
    if (term.value != tables::Term::Value::text) continue;
    if (term.name == kRatio) {
      double ratio = 0;
      read_double(term.text, ratio);
      for (std::size_t i = 0; i < encodings.size() && ratio > 0; ++i)
        ratios_.emplace_back(first + i, ratio);
    } else if (term.name == kAuxAction) {
      for (std::size_t i = 0; i < encodings.size(); ++i) {
        set_action(term, *encodings[i]);
        actions_.push_back(first + i);
      }
    }
  }
}

void RecordTerms::apply(const detail::MachineState& state, std::span<Encoding* const> all) const {
  std::vector<Encoding> copies;
  copies.reserve(all.size());
  for (const Encoding* const e : all) copies.push_back(*e);
  const OpeningOrder opening = Regrouper(state, std::move(copies)).opening();
  const Ratio ratios(state, opening, all);
  std::vector<double> ratio_of(opening.leaders.size());
  for (const auto& [index, ratio] : ratios_) ratio_of[index] = ratio;
  std::size_t group = 0;
  for (std::size_t at = 0; at < opening.order.size(); ++at) {
    const std::size_t i = opening.order[at];
    if (opening.leaders[i] == i) group = at;
    if (ratio_of[i] == 0) continue;
    if (std::string why = ratios.apply(at, group, ratio_of[i]); !why.empty())
      warn(*all[i], std::move(why));
  }
  for (const std::size_t i : actions_)
    if (!is_led_by_aux(opening, all, i))
      warn(*all[i],
           "perf record refuses this: no AUX event, such as intel_pt//, leads the event "
           "with aux-action");
}

}  // namespace evname::machine

namespace evname {

std::vector<Encoding> Machine::regroup(std::vector<Encoding> encodings) const {
  for (std::size_t i = 0; i < encodings.size(); ++i)
    if (encodings[i].leader >= encodings.size()) encodings[i].leader = i;
  return machine::Regrouper(*state_, std::move(encodings)).run();
}

}  // namespace evname
