#pragma once
// The samples of a recording in the data of a page.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_writer.hpp"
#include "recordings/report/detailed_report.hpp"

namespace evname::tools {

using PageJson = JsonWriter<std::string>;

/// Writes numbers as letters: five bits in each, the lowest first; the sixth bit means that more
/// follow.
class PackedNumbers {
 public:
  explicit PackedNumbers(std::string& text) : text_(text) {}

  void add(std::uint64_t number) {
    static constexpr char kLetters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (; number >= 32; number >>= 5) text_ += kLetters[32 | (number & 31)];
    text_ += kLetters[number];
  }

 private:
  std::string& text_;
};

/// Writes a member that is a text of numbers, which fill(numbers) adds.
template <class Fill>
void write_packed(PageJson& json, std::string_view key, Fill&& fill) {
  json.key(key).appended([&](std::string& text) {
    text += '"';
    PackedNumbers numbers(text);
    fill(numbers);
    text += '"';
  });
}

/// The texts of a page, each once, in order. Long ones are shown in part, but remain different.
class PageTexts {
 public:
  /// Adds a text; numbers follow when all are there.
  void add(std::string_view text) { numbers_.try_emplace(std::string(text), 0); }
  void put_in_order();
  /// Returns the number of a text; the first one's if it was not added.
  std::uint32_t find(std::string_view text) const {
    const auto at = numbers_.find(text);
    return at == numbers_.end() ? 0 : at->second;
  }
  /// Writes each text as its difference from the previous one.
  void write(PageJson& json) const;

 private:
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

/// Adds the texts that write_grid() needs. Of functions in hidden stacks only, keeps those with
/// most samples; the others become one function without a name.
void prepare_grid(report::SampleGrid& grid, std::size_t most_hidden, PageTexts& texts);

/// Writes the members of a recording that hold its samples. `events`: their number.
void write_grid(PageJson& json, const report::SampleGrid& grid, std::size_t events,
                const PageTexts& texts);

/// Writes the memory accesses of a recording, if it has any, and the contended cache lines.
void write_memory(PageJson& json, const report::SampleGrid& grid, const report::Sharing& sharing);

/// Source lines ("/src/a.c:12") with numbers; files with the largest sums come first.
using LineCounts = std::vector<std::pair<std::string, std::uint64_t>>;

/// The branches of a recording that a page has.
struct PageBranches {
  std::map<std::uint32_t, std::uint64_t> of_event;  ///< number of all branches
  std::vector<report::TakenBranch> rows;            ///< those with most first
  std::size_t left_out = 0;                         ///< number of other rows
};

/// Chooses the most frequent branches, those that were mispredicted most often, and those that end
/// the hottest loops. Adds the texts that write_branches() needs.
PageBranches prepare_branches(std::vector<report::TakenBranch> branches, PageTexts& texts);

/// Writes the branches of a recording, if it has any. Adds their source lines.
void write_branches(PageJson& json, const PageBranches& branches, const PageTexts& texts,
                    LineCounts& lines);

/// Writes the metrics whose events were recorded, and the nodes of the top-down tree among them.
void write_metrics(PageJson& json, const Report& report, const Recording& file);

/// Writes the text of source lines with samples, of `lines`, and of the lines around them, if the
/// files are on this machine: {"path": [number, text, …]}. Returns the paths.
std::vector<std::string> write_sources(PageJson& json, std::span<const report::SampleGrid> grids,
                                       const LineCounts& lines);

}  // namespace evname::tools
