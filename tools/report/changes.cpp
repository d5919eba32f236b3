#include "report/changes.hpp"

#include <cmath>
#include <map>
#include <string_view>
#include <unordered_map>

#include "base/sorting.hpp"
#include "base/text.hpp"

namespace evname::tools {

std::vector<ReportChange> compare_rows(const std::vector<Report::Row>& before,
                                       const std::vector<Report::Row>& after,
                                       std::size_t event_key) {
  std::vector<ReportChange> changes;
  std::unordered_map<std::string, std::size_t> index;
  std::vector<std::size_t> blocks;  // of changes: the place of their event
  std::map<std::string, std::size_t> block_of;
  const auto change_of = [&](const Report::Row& row) -> ReportChange& {
    const auto [at, is_new] =
        index.try_emplace(joined(row.keys, std::string_view("\0", 1)), changes.size());
    if (is_new) {
      const bool apart = event_key < row.keys.size() && row.keys.size() > 1;
      changes.push_back({row.keys, {}, {}, 0, 0});
      blocks.push_back(
          block_of.try_emplace(apart ? row.keys[event_key] : "", block_of.size()).first->second);
    }
    return changes[at->second];
  };
  for (const Report::Row& row : before) {
    ReportChange& change = change_of(row);
    change.before += row;
    change.share_before += row.share;
  }
  for (const Report::Row& row : after) {
    ReportChange& change = change_of(row);
    change.after += row;
    change.share_after += row.share;
  }
  std::vector<std::size_t> order(changes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto weight = [&](std::size_t i) {
    return std::abs(changes[i].share_after - changes[i].share_before);
  };
  sort_stably(order, [&](std::size_t a, std::size_t b) {
    if (blocks[a] != blocks[b]) return blocks[a] < blocks[b];
    return weight(a) != weight(b) ? weight(a) > weight(b) : changes[a].keys < changes[b].keys;
  });
  std::vector<ReportChange> out;
  for (const std::size_t i : order) out.push_back(std::move(changes[i]));
  return out;
}

}  // namespace evname::tools
