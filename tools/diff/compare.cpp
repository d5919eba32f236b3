#include "diff/compare.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/sorting.hpp"

namespace evname::tools {
namespace {

/// Best first: current before deprecated, short before long.
bool better(const CodedEvent* a, const CodedEvent* b) {
  return std::tuple(a->deprecated, a->name.size(), a->name) <
         std::tuple(b->deprecated, b->name.size(), b->name);
}

/// The events of one PMU, and the other side's PMUs that it is compared with.
struct Unit {
  std::string_view pmu;
  bool is_core = false;
  std::vector<const CodedEvent*> by_name;
  std::vector<const CodedEvent*> by_code;  // events that have one; best name first
  std::vector<const Unit*> partners;

  const CodedEvent* named(std::string_view name) const;
  bool is_known(std::string_view name) const;  // to one of the partners
  const CodedEvent* coded(const CodedEvent& event) const;
};

const CodedEvent* Unit::named(std::string_view name) const {
  const auto at = std::ranges::lower_bound(by_name, name, {}, &CodedEvent::name);
  return at != by_name.end() && (*at)->name == name ? *at : nullptr;
}

bool Unit::is_known(std::string_view name) const {
  return std::ranges::any_of(partners, [&](const Unit* p) { return p->named(name) != nullptr; });
}

/// The best name of that event's code.
const CodedEvent* Unit::coded(const CodedEvent& event) const {
  if (!event.code) return nullptr;
  const auto at = std::ranges::lower_bound(by_code, event.code, {}, &CodedEvent::code);
  return at != by_code.end() && (*at)->code == event.code ? *at : nullptr;
}

std::vector<Unit> units_of(std::span<const CodedEvent> events) {
  std::vector<const CodedEvent*> sorted;
  sorted.reserve(events.size());
  for (const CodedEvent& event : events) sorted.push_back(&event);
  sort_stably_by(sorted, [](const CodedEvent* e) { return std::tuple(e->pmu, e->name); });
  std::vector<Unit> units;
  for (const CodedEvent* event : sorted) {
    if (units.empty() || units.back().pmu != event->pmu)
      units.push_back({event->pmu, event->is_core, {}, {}, {}});
    units.back().by_name.push_back(event);
    if (event->code) units.back().by_code.push_back(event);
  }
  for (Unit& unit : units)
    sort_stably(unit.by_code, [](const CodedEvent* a, const CodedEvent* b) {
      return a->code == b->code ? better(a, b) : a->code < b->code;
    });
  return units;
}

const Unit* namesake(const std::vector<Unit>& units, const Unit& unit) {
  const auto at = std::ranges::find(units, unit.pmu, &Unit::pmu);
  return at == units.end() ? nullptr : &*at;
}

void find_partners(std::vector<Unit>& units, const std::vector<Unit>& others) {
  for (Unit& unit : units) {
    if (const Unit* same = namesake(others, unit)) {
      unit.partners.push_back(same);
      continue;
    }
    for (const Unit& other : others)
      if (unit.is_core && other.is_core && namesake(units, other) == nullptr)
        unit.partners.push_back(&other);
  }
}

class Comparison {
 public:
  Comparison(std::span<const CodedEvent> a, std::span<const CodedEvent> b)
      : a_(units_of(a)), b_(units_of(b)) {
    find_partners(a_, b_);
    find_partners(b_, a_);
  }

  std::vector<Difference> run();

 private:
  void add_of_a(const Unit& unit, const CodedEvent& event);
  void add_of_b(const Unit& unit, const CodedEvent& event);

  std::vector<Unit> a_, b_;
  std::vector<Difference> out_;
  std::set<const CodedEvent*> told_;  // of B, in a row of another name
};

void Comparison::add_of_a(const Unit& unit, const CodedEvent& event) {
  bool known = false;
  for (const Unit* partner : unit.partners) {
    const CodedEvent* same = partner->named(event.name);
    if (same == nullptr) continue;
    known = true;
    if (event.code && same->code && event.code != same->code)
      out_.push_back({Change::code, &event, same, true});
  }
  if (known) return;
  for (const Unit* partner : unit.partners) {
    const CodedEvent* other = partner->coded(event);
    if (other == nullptr) continue;
    known = true;
    out_.push_back({Change::name, &event, other, false});
    told_.insert(other);
  }
  if (!known) out_.push_back({Change::only_a, &event, nullptr, false});
}

/// Adds the events of B that are in no row of A's events.
void Comparison::add_of_b(const Unit& unit, const CodedEvent& event) {
  if (told_.contains(&event) || unit.is_known(event.name)) return;
  bool known = false;
  for (const Unit* partner : unit.partners) {
    const CodedEvent* other = partner->coded(event);
    if (other == nullptr) continue;
    known = true;
    out_.push_back({Change::name, other, &event, partner->is_known(other->name)});
  }
  if (!known) out_.push_back({Change::only_b, nullptr, &event, true});
}

std::vector<Difference> Comparison::run() {
  for (const Unit& unit : a_)
    for (const CodedEvent* event : unit.by_name) add_of_a(unit, *event);
  for (const Unit& unit : b_)
    for (const CodedEvent* event : unit.by_name) add_of_b(unit, *event);
  sort_stably_by(out_, [](const Difference& row) {
    const CodedEvent& event = row.a != nullptr ? *row.a : *row.b;
    return std::tuple(row.change, event.pmu, event.name);
  });
  return std::move(out_);
}

}  // namespace

std::vector<Difference> compare_events(std::span<const CodedEvent> a,
                                       std::span<const CodedEvent> b) {
  return Comparison(a, b).run();
}

}  // namespace evname::tools
