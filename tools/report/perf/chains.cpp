#include "report/perf/chains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/text.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

// The forms follow callchain__fprintf_graph and its neighbours in tools/perf/ui/stdio/hist.c.

using enum ChainStyle::Mode;
constexpr std::size_t kMargin = 12, kColumn = 11;

constexpr std::pair<std::string_view, ChainStyle::Mode> kModes[] = {
    {"none", none}, {"graph", graph}, {"fractal", fractal}, {"flat", flat}, {"folded", folded}};
constexpr std::pair<std::string_view, ChainStyle::Value> kValues[] = {
    {"percent", ChainStyle::Value::percent},
    {"period", ChainStyle::Value::period},
    {"count", ChainStyle::Value::count}};

/// Returns the margin, and a column for each of the first `count` callers: with a bar if another
/// caller follows below.
std::string bars_text(std::size_t margin, const std::vector<bool>& bars, std::size_t count) {
  std::string text(kMargin + margin, ' ');
  for (std::size_t i = 0; i < count; ++i)
    text += (bars[i] ? '|' : ' ') + std::string(kColumn - 1, ' ');
  return text;
}

}  // namespace

ChainStyle chain_style(const std::string& argument, ChainStyle style) {
  bool has_least = false;
  for (const std::string_view word : split(argument, ',')) {
    for (const auto& [name, mode] : kModes)
      if (name == word) style.mode = mode;
    for (const auto& [name, value] : kValues)
      if (name == word) style.value = value;
    if (word == "caller" || word == "callee") style.callers_first = word == "caller";
    const auto number = parse_double(word);
    if (number && std::exchange(has_least, true))
      style.most = static_cast<std::size_t>(*number);
    else if (number)
      style.least = *number;
  }
  return style;
}

ChainText::ChainText(const report::RowChains& chains, const ChainStyle& style)
    : chains_(chains), style_(style), below_(chains.nodes.size()), depths_(chains.nodes.size()) {
  std::vector<std::pair<std::uint32_t, std::size_t>> places(chains.nodes.size());  // row and depth
  for (std::uint32_t i = 0; i < chains.nodes.size(); ++i)
    if (const auto& node = chains.nodes[i]; node.frame == report::RowChains::kRow) {
      nodes_.emplace(chains.rows[node.parent], i);
      places[i] = {i, 0};
    } else {
      below_[node.parent].push_back(i);
      const auto [row, depth] = places[node.parent];
      places[i] = {row, depth + 1};
      depths_[row] = std::max(depths_[row], depth + 1);
    }
}

std::size_t ChainText::depth(std::span<const std::vector<std::string>> rows) const {
  std::size_t most = 0;
  for (const std::vector<std::string>& row : rows)
    if (const auto at = nodes_.find(row); at != nodes_.end())
      most = std::max(most, depths_[at->second]);
  return most;
}

/// Returns what follows the nodes, by frame.
std::vector<std::vector<std::uint32_t>> ChainText::groups_below(
    const std::vector<std::uint32_t>& nodes) const {
  std::vector<std::vector<std::uint32_t>> groups;
  std::map<std::uint32_t, std::size_t> places;
  for (const std::uint32_t node : nodes)
    for (const std::uint32_t child : below_[node]) {
      const auto [at, is_new] = places.try_emplace(chains_.nodes[child].frame, groups.size());
      if (is_new) groups.emplace_back();
      groups[at->second].push_back(child);
    }
  return groups;
}

/// Returns the tree from nodes of the same frame on.
ChainText::Tree ChainText::tree_of(std::vector<std::uint32_t> nodes) const {
  Tree tree;
  for (;;) {
    tree.frames.push_back(chains_.nodes[nodes[0]].frame);
    for (const std::uint32_t node : nodes) {
      tree.own += chains_.nodes[node].period;
      tree.own_samples += chains_.nodes[node].samples;
    }
    auto groups = groups_below(nodes);
    const bool is_row = tree.frames[0] == report::RowChains::kRow;
    if (groups.size() != 1 || tree.own_samples > 0 || is_row) {
      for (auto& group : groups) tree.below.push_back(tree_of(std::move(group)));
      break;
    }
    nodes = std::move(groups[0]);
  }
  tree.all = tree.own;
  tree.all_samples = tree.own_samples;
  for (const Tree& child : tree.below) {
    tree.all += child.all;
    tree.all_samples += child.all_samples;
  }
  return tree;
}

ChainText::Branches ChainText::shown(const Tree& tree, std::uint64_t least) const {
  if (style_.mode == fractal)
    least = static_cast<std::uint64_t>(
        std::ceil(static_cast<double>(tree.all - tree.own) * style_.least / 100));
  Branches branches;
  for (const Tree& child : tree.below)
    if (child.all >= least) branches.push_back(&child);
  std::ranges::stable_sort(branches, std::greater(), &Tree::all);
  return branches;
}

std::string ChainText::value_text(const Tree& tree, std::uint64_t all) const {
  const bool is_own = style_.mode == folded;
  const std::uint64_t period = is_own ? tree.own : tree.all;
  switch (style_.value) {
    case ChainStyle::Value::period:
      return fmt::format("{}", period);
    case ChainStyle::Value::count:
      return fmt::format("{}", is_own ? tree.own_samples : tree.all_samples);
    default:
      return fmt::format(
          "{:.2f}%",
          all > 0 ? static_cast<double>(period) * 100.0 / static_cast<double>(all) : 0.0);
  }
}

/// Adds the children of a caller; `bars` has one for each level.
void ChainText::add_level(const Tree& tree, std::uint64_t all, std::size_t margin,
                          std::vector<bool> bars, std::string& out) const {
  const Branches branches = shown(tree, least_);
  const std::vector<bool> before = bars;
  const std::size_t depth = bars.size();
  std::uint64_t rest = all;
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const Tree& child = *branches[i];
    rest -= child.all;
    if (i + 1 == branches.size() && (style_.mode != fractal || rest == 0)) bars[depth - 1] = false;
    out += bars_text(margin, before, depth) + '\n';
    std::string head = bars_text(margin, bars, depth - 1);
    head += (bars[depth - 1] ? "|--" : " --") + value_text(child, all) + "--";
    for (const std::uint32_t frame : child.frames) {
      out += head + one_line(Screen::out, chains_.names[frame]) + '\n';
      head = bars_text(margin, bars, depth);
    }
    std::vector<bool> next = bars;
    next.push_back(true);
    add_level(child, style_.mode == fractal ? child.all - child.own : all, margin, std::move(next),
              out);
    if (i + 1 == style_.most) break;
  }
  if (style_.mode == fractal && rest != 0 && rest != all) add_rest(rest, all, margin, bars, out);
}

void ChainText::add_rest(std::uint64_t rest, std::uint64_t all, std::size_t margin,
                         const std::vector<bool>& bars, std::string& out) const {
  Tree tree;
  tree.all = rest;
  out += bars_text(margin, bars, bars.size() - 1) + " --" + value_text(tree, all) + "--[...]\n";
}

/// Returns a row's callchains as a tree; one that all samples share has no value.
std::string ChainText::graph(const Tree& root, std::uint64_t all, std::uint64_t own) const {
  const Branches branches = shown(root, least_);
  const Tree* from = &root;
  std::string out;
  std::size_t margin = 0, printed = 0;
  if (branches.size() == 1 && branches[0]->all == own) {
    from = branches[0];
    for (std::size_t i = style_.skips_first; i < from->frames.size(); ++i) {
      if (printed == 0)
        out += bars_text(0, {}, 0) + "|\n" + bars_text(0, {}, 0) + "---";
      else
        out += bars_text(margin, {}, 0);
      margin = 3;
      out += one_line(Screen::out, chains_.names[from->frames[i]]) + '\n';
      if (++printed == style_.most) break;
    }
  }
  add_level(*from, style_.mode == fractal ? own : all, margin, {true}, out);
  return out.empty() ? out : out + '\n';
}

/// Returns each callchain on its own: a line for each function, or one line.
std::string ChainText::list(const Tree& root, std::uint64_t all) const {
  std::vector<std::pair<const Tree*, std::vector<std::string>>> found;
  const std::function<void(const Tree&, std::vector<std::string>)> add =
      [&](const Tree& tree, std::vector<std::string> path) {
        for (const std::uint32_t frame : tree.frames)
          if (frame != report::RowChains::kRow)
            path.push_back(one_line(Screen::out, chains_.names[frame]));
        for (const Tree& child : tree.below) add(child, path);
        if (tree.own > 0 && tree.own >= least_ && !path.empty())
          found.emplace_back(&tree, std::move(path));
      };
  add(root, {});
  std::ranges::stable_sort(found, std::greater(), [](const auto& one) { return one.first->own; });
  if (style_.most > 0) found.resize(std::min(found.size(), style_.most));
  std::string out;
  for (const auto& [tree, path] : found)
    if (style_.mode == folded)
      out += value_text(*tree, all) + ' ' + joined(path, ";") + '\n';
    else
      out += fmt::format("           {}\n                {}\n\n", value_text(*tree, all),
                         joined(path, "\n                "));
  return out;
}

std::string ChainText::of(std::span<const std::vector<std::string>> rows, std::uint64_t all,
                          std::uint64_t own) const {
  std::vector<std::uint32_t> nodes;
  for (const auto& row : rows)
    if (const auto found = nodes_.find(row); found != nodes_.end()) nodes.push_back(found->second);
  if (nodes.empty()) return {};
  const Tree root = tree_of(std::move(nodes));
  least_ = static_cast<std::uint64_t>(static_cast<double>(all) * (style_.least / 100));
  const bool is_list = style_.mode == flat || style_.mode == folded;
  return is_list ? list(root, all) : graph(root, all, own);
}

}  // namespace evname::tools
