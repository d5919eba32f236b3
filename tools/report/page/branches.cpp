// The branches of a recording in the data of a page.

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/sorting.hpp"
#include "report/page/grid.hpp"

namespace evname::tools {
namespace {

using report::TakenBranch;
using Counted = std::uint64_t (*)(const TakenBranch& branch);

/// A page has the branches that are most by one of these numbers.
constexpr std::pair<Counted, std::size_t> kMost[] = {
    {[](const TakenBranch& branch) { return branch.count; }, 1000},
    {[](const TakenBranch& branch) { return branch.sums.mispredicted; }, 500},
    {[](const TakenBranch& branch) { return branch.turns.taken; }, 500},
};

/// Keeps the branches that a page has, those with most first.
void choose(std::vector<TakenBranch>& branches) {
  std::vector<bool> is_chosen(branches.size());
  std::vector<std::size_t> order(branches.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t by = std::size(kMost); by-- > 0;) {
    const auto [count, most] = kMost[by];
    sort_stably(order, [&](std::size_t a, std::size_t b) {
      return count(branches[a]) > count(branches[b]);
    });
    for (std::size_t i = 0; i < std::min(most, order.size()); ++i)
      is_chosen[order[i]] = is_chosen[order[i]] || count(branches[order[i]]) > 0;
  }
  std::vector<TakenBranch> out;
  for (const std::size_t i : order)
    if (is_chosen[i]) out.push_back(branches[i]);
  branches = std::move(out);
}

/// A row of numbers, which unpackBranches() of data.js names.
void write_branch(PageJson& json, const TakenBranch& branch, const PageTexts& texts) {
  json.begin_array();
  json.number(branch.event);
  for (const std::string_view text :
       {branch.from.address, branch.from.srcline, branch.to.address, branch.to.srcline})
    json.number(texts.find(text));
  const Report::Branches& sums = branch.sums;
  const report::Turns& turns = branch.turns;
  for (const std::uint64_t number :
       {branch.count, sums.predicted, sums.mispredicted, sums.in_transaction, sums.aborted,
        sums.timed, sums.cycles, std::uint64_t{sums.least}, turns.taken, turns.again, turns.left,
        turns.timed, turns.cycles})
    json.number(number);
  json.end_array();
}

}  // namespace

PageBranches prepare_branches(std::vector<TakenBranch> branches, PageTexts& texts) {
  PageBranches out;
  for (const TakenBranch& branch : branches) out.of_event[branch.event] += branch.count;
  out.left_out = branches.size();
  choose(branches);
  out.left_out -= branches.size();
  for (const TakenBranch& branch : branches)
    for (const TakenBranch::End& end : {branch.from, branch.to}) {
      texts.add(end.address);
      texts.add(end.srcline);
    }
  out.rows = std::move(branches);
  return out;
}

void write_branches(PageJson& json, const PageBranches& branches, const PageTexts& texts,
                    LineCounts& lines) {
  if (branches.rows.empty()) return;
  json.key("branches").begin_object();
  json.key("events").each(branches.of_event, [&](const auto& event) {
    json.begin_array();
    json.number(event.first);
    json.number(event.second);
    json.end_array();
  });
  json.key("more").number(branches.left_out);
  json.key("rows").each(branches.rows, [&](const TakenBranch& branch) {
    for (const std::string_view line : {branch.from.srcline, branch.to.srcline})
      lines.emplace_back(line, branch.count);
    write_branch(json, branch, texts);
  });
  json.end_object();
}

}  // namespace evname::tools
