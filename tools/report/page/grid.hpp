#pragma once
// The samples of a recording in the data of a page.

#include <cstdint>
#include <map>
#include <optional>
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

/// Returns the period of each sample of an event, if all have the same.
std::vector<std::optional<std::uint64_t>> equal_periods(const report::SampleGrid& grid,
                                                        std::size_t events);

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

/// The code of a function on a page: the instructions with samples, and those near them.
struct PageFunction {
  struct Row {
    std::uint64_t address = 0;
    std::string text = {};
    std::uint32_t target = 0;              ///< of a jump within the function: a row, from 1
    std::string place = {}, inlined = {};  ///< "/src/a.c:12"; the calls by line
    std::uint32_t folded = 0;              ///< instructions before it that have no row
    ///@{
    /// From branch stacks, as InstructionReport has them.
    std::uint64_t executed = 0;
    Report::Branches branches = {};
    double ipc = 0;
    ///@}
  };
  std::string name = {}, dso = {}, build_id = {}, problem = {};  ///< as InstructionReport has them
  std::uint64_t start = 0;                                       ///< address
  std::vector<Row> rows = {};
  std::uint32_t folded = 0;  ///< instructions after the last row

  /// Returns about how many bytes it takes on a page.
  std::size_t size() const;
};

/// The instructions that a page has of a recording.
struct PageInstructions {
  /// Where the samples of a place of report::DetailedReport::spots() are shown.
  struct Place {
    std::uint32_t function = UINT32_MAX;  ///< in `functions`
    std::uint32_t row = 0;                ///< from 1; 0: outside of the instructions
  };
  std::vector<PageFunction> functions;  ///< those with most samples first
  std::vector<Place> places;
  std::size_t left_out = 0;            ///< number of other functions
  std::vector<std::string> precision;  ///< precision_lines()
};
PageInstructions page_instructions(const report::DetailedReport& report,
                                   std::span<const Recording> files);
/// Adds the texts that write_instructions() needs.
void add_texts(const PageInstructions& page, PageTexts& texts);
/// Writes the functions of a recording that have room in so many bytes. Adds their source lines.
void write_instructions(PageJson& json, const PageInstructions& page,
                        const report::SampleGrid& grid, std::size_t events, std::size_t room,
                        const PageTexts& texts, LineCounts& lines);

/// Writes the metrics whose events were recorded, and the nodes of the top-down tree among them.
void write_metrics(PageJson& json, const Report& report, const Recording& file);

/// Writes the text of source lines with samples, of `lines`, and of the lines around them, if the
/// files are on this machine: {"path": [number, text, …]}. Returns the paths.
std::vector<std::string> write_sources(PageJson& json, std::span<const report::SampleGrid> grids,
                                       const LineCounts& lines);

}  // namespace evname::tools
