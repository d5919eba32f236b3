// Source: parse_events__sort_events_and_fix_groups of tools/perf/util/parse-events.c, and
// arch_evlist__cmp and arch_evsel__must_be_in_group of tools/perf/arch/x86/util.
#include "resolver/regroup.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/text.hpp"
#include "machine/alias.hpp"
#include "syntax/kernel_names.hpp"

namespace evname::resolver {
namespace {

class Regrouper {
 public:
  Regrouper(const detail::MachineState& state, std::vector<Encoding> encodings)
      : state_(state), in_(std::move(encodings)), rows_(in_.size()) {}

  std::vector<Encoding> run();

 private:
  struct Row {
    std::string_view pmu;  ///< the one its group has to be of
    bool grouped = false;  ///< has other members
    bool topdown = false;  ///< the CPU can only count it in a group with the slots
  };
  using Key = std::tuple<std::size_t, std::string_view, int, bool, std::size_t>;

  void describe();
  std::string_view pmu_of(const Encoding& e) const;
  std::string_view group_pmu(std::size_t i) const;
  bool must_be_grouped(const Encoding& e) const;
  Key key(std::size_t i) const;

  const detail::MachineState& state_;
  std::vector<Encoding> in_;
  std::vector<Row> rows_;
  std::optional<std::size_t> topdown_at_;  ///< where topdown events that stand alone are gathered
};

/// Generic events are the first core PMU's.
std::string_view Regrouper::pmu_of(const Encoding& e) const {
  if (is_type(e.code, kTypeHardware) || is_type(e.code, kTypeHwCache))
    for (const machine::BoundPmu& bound : state_.pmus)
      if (bound.pmu.is_core && e.pmu == syntax::generic_type_name(e.code.type))
        return bound.pmu.name;
  return e.pmu;
}

/// A software event takes the PMU of its leader or, if that is software too, of the first other.
std::string_view Regrouper::group_pmu(std::size_t i) const {
  const std::size_t leader = in_[i].leader;
  if (!is_software(in_[i])) return pmu_of(in_[i]);
  if (!is_software(in_[leader])) return pmu_of(in_[leader]);
  for (const Encoding& e : in_)
    if (e.leader == leader && !is_software(e)) return pmu_of(e);
  return in_[i].pmu;
}

/// Topdown metrics and slots of a core PMU that offers slots.
bool Regrouper::must_be_grouped(const Encoding& e) const {
  if (state_.cpu.arch != "x86" || !is_type(e.code, kTypeRaw)) return false;
  const std::string name = to_lower(e.name);
  if (name.find("uops_retired.slots") != name.npos) return false;
  if (name.find("topdown") == name.npos && name.find("slots") == name.npos) return false;
  for (const machine::BoundPmu& bound : state_.pmus)
    if (bound.pmu.name == e.pmu) return static_cast<bool>(machine::find_alias(bound, "slots"));
  return false;
}

void Regrouper::describe() {
  for (std::size_t i = 0; i < in_.size(); ++i) {
    if (in_[i].leader != i) rows_[i].grouped = rows_[in_[i].leader].grouped = true;
    rows_[i].pmu = group_pmu(i);
    rows_[i].topdown = must_be_grouped(in_[i]);
  }
  for (std::size_t i = 0; i < in_.size() && !topdown_at_; ++i)
    if (rows_[i].topdown && !rows_[i].grouped) topdown_at_ = i;
}

Regrouper::Key Regrouper::key(std::size_t i) const {
  const Row& row = rows_[i];
  const Encoding& e = in_[i];
  const bool gathered = !row.grouped && row.topdown && topdown_at_;
  const int rank = !row.topdown ? 2 : to_lower(e.name).find("slots") != std::string::npos ? 0 : 1;
  const bool latency = e.modifiers.find('R') != e.modifiers.npos;  // can't lead
  return {gathered ? *topdown_at_ : e.leader, row.grouped ? row.pmu : std::string_view(), rank,
          latency, i};
}

std::vector<Encoding> Regrouper::run() {
  describe();
  std::vector<std::size_t> order(in_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  std::vector<Encoding> out;
  std::size_t leader = 0;
  for (std::size_t at = 0; at < order.size(); ++at) {
    const std::size_t i = order[at], first = order[leader];
    const bool same_group = in_[i].leader == in_[first].leader ||
                            (topdown_at_ && rows_[i].topdown && rows_[first].topdown);
    if (!same_group || rows_[i].pmu != rows_[first].pmu) leader = at;
    out.push_back(in_[i]);
    out.back().leader = leader;
  }
  return out;
}

}  // namespace

bool is_software(const Encoding& e) {
  return is_type(e.code, kTypeSoftware) || is_type(e.code, kTypeTracepoint) ||
         is_type(e.code, kTypeBreakpoint) || e.pmu == "kprobe" || e.pmu == "uprobe" ||
         e.pmu == "msr";
}

std::vector<Encoding> regroup(const detail::MachineState& state, std::vector<Encoding> encodings) {
  for (std::size_t i = 0; i < encodings.size(); ++i)
    if (encodings[i].leader >= encodings.size()) encodings[i].leader = i;
  return Regrouper(state, std::move(encodings)).run();
}

}  // namespace evname::resolver

namespace evname {

std::vector<Encoding> Machine::regroup(std::vector<Encoding> encodings) const {
  return resolver::regroup(*state_, std::move(encodings));
}

}  // namespace evname
