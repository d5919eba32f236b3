// Writes the source text around lines with samples.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/read_file.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "input/number_list.hpp"
#include "report/page/grid.hpp"
#include "report/source_files.hpp"

namespace evname::tools {
namespace {

using LineNumbers = std::set<std::uint64_t>;

// Of a page.
constexpr std::size_t kMostFiles = 200, kMostText = 600'000;
constexpr std::uint64_t kAround = 8;  // lines before and after

/// Adds the source lines that have samples.
void add_lines(const report::SampleGrid& grid, LineCounts& lines) {
  std::vector<std::uint64_t> samples(grid.nodes.size());
  for (const report::SampleGrid::Cell& cell : grid.cells) samples[cell.node] += cell.samples;
  for (std::size_t node = 0; node < grid.nodes.size(); ++node) {
    const report::SampleGrid::Frame& frame = grid.frames[grid.nodes[node].frame];
    if (frame.kind == report::SampleGrid::Kind::line && samples[node] > 0)
      lines.emplace_back(grid.texts[frame.name], samples[node]);
  }
}

/// Returns the lines of each file, by falling sum of their counts.
std::vector<std::pair<std::string, LineNumbers>> by_file(const LineCounts& lines) {
  std::map<std::string, std::pair<std::uint64_t, LineNumbers>> files;
  for (const auto& [place, count] : lines) {
    const auto colon = place.rfind(':');
    if (colon == std::string::npos || !is_source(place.substr(0, colon))) continue;
    const auto line = parse_decimal(std::string_view(place).substr(colon + 1));
    if (!line) continue;
    auto& [sum, numbers] = files[place.substr(0, colon)];
    sum += count;
    numbers.insert(*line);
  }
  std::vector<std::pair<std::string, LineNumbers>> out;
  std::vector<std::pair<std::uint64_t, std::string>> order;
  for (const auto& [path, file] : files) order.emplace_back(file.first, path);
  sort_stably(order, [](auto& a, auto& b) { return a.first > b.first; });
  for (const auto& [count, path] : order) out.emplace_back(path, std::move(files[path].second));
  return out;
}

}  // namespace

std::vector<std::string> write_sources(PageJson& json, std::span<const report::SampleGrid> grids,
                                       const LineCounts& lines) {
  LineCounts all = lines;
  for (const report::SampleGrid& grid : grids) add_lines(grid, all);
  std::vector<std::string> read;
  std::size_t files = 0, written = 0;
  json.key("sources").begin_object();
  for (const auto& [path, numbers] : by_file(all)) {
    if (++files > kMostFiles || written > kMostText) break;
    std::uint64_t number = 0;
    bool is_open = false;
    const auto take = [&](std::string_view text) {
      ++number;
      const auto near = numbers.lower_bound(number - std::min(number, kAround));
      if (near == numbers.end() || *near > number + kAround || written > kMostText) return;
      if (!std::exchange(is_open, true)) json.key(path).begin_array();
      json.number(number);
      json.text(text.substr(0, kLongestSourceLine));
      written += std::min(text.size(), kLongestSourceLine) + 8;
    };
    // Unreadable files have no text.
    (void)read_lines(path, kLargestSource, take);
    if (!is_open) continue;
    json.end_array();
    read.push_back(path);
  }
  json.end_object();
  return read;
}

}  // namespace evname::tools
