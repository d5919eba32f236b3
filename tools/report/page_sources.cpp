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
#include "report/page_grid.hpp"

namespace evname::tools {
namespace {

using LineNumbers = std::set<std::uint64_t>;

// Of a page.
constexpr std::size_t kMostFiles = 200, kMostText = 600'000;
constexpr std::uint64_t kAround = 8;  // lines before and after
constexpr std::size_t kLongestLine = 400;

/// A hostile recording, or its debug information, could name any file.
bool is_source(std::string_view path) {
  static constexpr std::string_view kKnown[] = {
      "c",  "cc", "cpp",  "cxx", "h",  "hh", "hpp", "hxx", "inc", "ipp", "tcc", "s",   "S",
      "rs", "go", "java", "kt",  "cs", "js", "ts",  "py",  "rb",  "php", "pl",  "lua", "swift",
      "d",  "f",  "f90",  "jl",  "ml", "hs", "zig", "nim", "cu",  "m",   "mm",  "v",   "pas"};
  const std::string_view name = last_part(path);
  const auto dot = name.rfind('.');
  // The standard library of C++ has headers without an extension.
  if (dot == std::string_view::npos) return path.find("/include/c++/") != std::string_view::npos;
  return std::ranges::find(kKnown, name.substr(dot + 1)) != std::end(kKnown);
}

/// Returns the lines with samples of each file, by falling number of the file's samples.
std::vector<std::pair<std::string, LineNumbers>> sampled_lines(
    std::span<const report::SampleGrid> grids) {
  std::map<std::string, std::pair<std::uint64_t, LineNumbers>> files;
  for (const report::SampleGrid& grid : grids) {
    std::vector<std::uint64_t> samples(grid.nodes.size());
    for (const report::SampleGrid::Cell& cell : grid.cells) samples[cell.node] += cell.samples;
    for (std::size_t node = 0; node < grid.nodes.size(); ++node) {
      const report::SampleGrid::Frame& frame = grid.frames[grid.nodes[node].frame];
      if (frame.kind != report::SampleGrid::Kind::line || samples[node] == 0) continue;
      const std::string_view place = grid.texts[frame.name];
      const auto colon = place.rfind(':');
      const auto line = parse_decimal(place.substr(colon + 1));
      if (colon == std::string_view::npos || !line || !is_source(place.substr(0, colon))) continue;
      auto& [count, lines] = files[std::string(place.substr(0, colon))];
      count += samples[node];
      lines.insert(*line);
    }
  }
  std::vector<std::pair<std::string, LineNumbers>> out;
  std::vector<std::pair<std::uint64_t, std::string>> order;
  for (const auto& [path, file] : files) order.emplace_back(file.first, path);
  sort_stably(order, [](auto& a, auto& b) { return a.first > b.first; });
  for (const auto& [count, path] : order) out.emplace_back(path, std::move(files[path].second));
  return out;
}

}  // namespace

std::vector<std::string> write_sources(PageJson& json, std::span<const report::SampleGrid> grids) {
  std::vector<std::string> read;
  std::size_t files = 0, written = 0;
  json.key("sources").begin_object();
  for (const auto& [path, lines] : sampled_lines(grids)) {
    constexpr std::size_t kLargestFile = 8 << 20;
    if (++files > kMostFiles || written > kMostText) break;
    if (!path.starts_with('/')) continue;
    std::uint64_t number = 0;
    bool is_open = false;
    const auto take = [&](std::string_view text) {
      ++number;
      const auto near = lines.lower_bound(number - std::min(number, kAround));
      if (near == lines.end() || *near > number + kAround || written > kMostText) return;
      if (!std::exchange(is_open, true)) json.key(path).begin_array();
      json.number(number);
      json.text(text.substr(0, kLongestLine));
      written += std::min(text.size(), kLongestLine) + 8;
    };
    // Unreadable files have no text.
    (void)read_lines(path, kLargestFile, take);
    if (!is_open) continue;
    json.end_array();
    read.push_back(path);
  }
  json.end_object();
  return read;
}

}  // namespace evname::tools
