#include "recordings/report/branch_collector.hpp"

#include <algorithm>

#include "recordings/report/location_keys.hpp"

namespace evname::report {
namespace {

/// No CPU's stack is longer. Recordings may have any.
constexpr std::size_t kMostBetween = 64;

// PERF_BR_* of include/uapi/linux/perf_event.h.
constexpr std::uint8_t kIndirectJump = 3, kReturn = 6, kReturnIf = 10;

bool may_be_jump(const Branch& branch) { return branch.type <= kIndirectJump; }
bool is_return(const Branch& branch) { return branch.type == kReturn || branch.type == kReturnIf; }

/// Returns true for a jump to its own address or before it: the last branch of a loop.
bool goes_back(const Branch& branch) {
  return !branch.not_taken && may_be_jump(branch) && branch.to <= branch.from;
}

bool is_within(std::uint64_t address, const Branch& loop) {
  return address >= loop.to && address <= loop.from;
}

}  // namespace

void BranchCollector::add_turn(Turns& turns, std::span<const Entry> stack, std::size_t at) {
  const Entry& loop = stack[at];
  bool is_timed = true;
  std::uint64_t cycles = 0;
  for (std::size_t i = at; i > at - std::min(at, kMostBetween);) {
    const Entry& next = stack[--i];
    cycles += next.branch.cycles;
    is_timed &= next.branch.cycles > 0;
    if (next.number == loop.number) {
      ++turns.again;
      turns.timed += is_timed;
      turns.cycles += is_timed ? cycles : 0;
      return;
    }
    // A call leaves the function for a while.
    const bool begins_here = next.from == loop.from, ends_here = next.to == loop.from;
    if ((begins_here && !is_within(next.branch.from, loop.branch)) ||
        (ends_here && !is_within(next.branch.to, loop.branch)) ||
        (begins_here && !ends_here && is_return(next.branch))) {
      ++turns.left;
      return;
    }
  }
}

void BranchCollector::add(const Sample& sample, std::uint32_t event, LocationKeys& locations) {
  const SampleWords words = sample.branches();
  stack_.clear();
  for (std::size_t i = 0; 3 * i + 2 < words.size(); ++i) {
    const Branch branch(words, i);
    const auto number_of = [&](const BranchEnd& end) {
      return ends_.add({end.keys.dso, end.address, end.keys.srcline}).first;
    };
    const BranchEnd from = locations.end_of(sample, branch.from);
    const BranchEnd to = locations.end_of(sample, branch.to);
    const std::uint32_t number = branches_.add({event, number_of(from), number_of(to)}).first;
    sums_.resize(branches_.size());
    ++sums_[number].count;
    add_branch(sums_[number].branches, branch);
    stack_.push_back({branch, number, {from.keys.dso, from.keys.sym}, {to.keys.dso, to.keys.sym}});
  }
  for (std::size_t i = 0; i < stack_.size(); ++i)
    if (const Entry& entry = stack_[i]; entry.from == entry.to && goes_back(entry.branch)) {
      Turns& turns = sums_[entry.number].turns;
      ++turns.taken;
      add_turn(turns, stack_, i);
    }
}

std::vector<TakenBranch> BranchCollector::branches(const TextPool& texts) const {
  const auto text = [&](std::uint32_t id) {
    return id == kAbsent ? std::string_view("-") : texts[id];
  };
  const auto end = [&](std::uint32_t number) {
    const End& of = ends_.keys()[number];
    return TakenBranch::End{text(of.address), text(of.srcline)};
  };
  std::vector<TakenBranch> out;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    const auto& [event, from, to] = branches_.keys()[i];
    out.push_back({end(from), end(to), event, sums_[i].count, sums_[i].branches, sums_[i].turns});
  }
  return out;
}

}  // namespace evname::report
