#include "events/trees/mapfile.hpp"

#include <optional>

#include <fmt/format.h>

#include "base/regex.hpp"
#include "base/text.hpp"
#include "events/trees/csv.hpp"

namespace evname::trees {
namespace {

struct Midr {
  std::uint64_t part, variant, revision;
};

bool has_midrs(std::string_view arch) { return arch == "arm64" || arch == "arm"; }

/// Fields of a MIDR_EL1 value: variant is bits 23:20, revision bits 3:0.
std::optional<Midr> midr_of(std::string_view pattern) {
  const auto value = evname::parse_number(pattern);
  if (!value) return std::nullopt;
  return Midr{*value & ~std::uint64_t{0xf0000f}, *value >> 20 & 0xf, *value & 0xf};
}

/// Returns true if there is a lower-case letter after the vendor, outside of a character class.
/// Model and stepping are upper-case hexadecimal.
bool has_lower_case_model(std::string_view pattern) {
  const auto dash = pattern.find('-');
  bool in_class = false;
  for (std::size_t i = dash; i != std::string_view::npos && i < pattern.size(); ++i) {
    if (pattern.substr(i).starts_with("[:")) in_class = true;
    if (pattern.substr(i).starts_with(":]")) in_class = false;
    if (!in_class && pattern[i] >= 'a' && pattern[i] <= 'z') return true;
  }
  return false;
}

/// Returns why the row can't match any CPU; "" if it can.
std::string fault_of(std::string_view arch, const MapfileRow& row) {
  if (trim(row.pattern) != row.pattern) return "spaces around the pattern";
  if (has_midrs(arch)) return midr_of(row.pattern) ? "" : "not a MIDR number";
  if (!Regex::compile(row.pattern))
    return "not an extended regular expression, or one that repeats too much";
  if (arch == "x86" && has_lower_case_model(row.pattern))
    return "x86 models are written in upper case";
  return "";
}

/// Returns true if every CPU that matches `later` also matches `earlier`.
bool hides(std::string_view arch, const MapfileRow& earlier, const MapfileRow& later) {
  if (earlier.pattern == later.pattern) return true;
  if (!has_midrs(arch)) return false;
  const auto a = midr_of(earlier.pattern), b = midr_of(later.pattern);
  if (!a || !b || a->part != b->part) return false;
  return b->variant > a->variant || (b->variant == a->variant && b->revision >= a->revision);
}

}  // namespace

std::vector<MapfileRow> read_mapfile(const std::string& path, Diagnostics& diagnostics) {
  std::vector<MapfileRow> rows;
  for (CsvRow& row : read_csv(path, diagnostics)) {
    auto& cells = row.cells;
    if (row.place.offset == 0) continue;  // the heading
    if (cells.size() < 3) {
      diagnostics.report(Severity::error, row.place, "", "",
                         fmt::format("{} columns where at least 3 are needed", cells.size()));
      continue;
    }
    cells.resize(7);
    rows.push_back({cells[0], cells[1], cells[2], cells[3], cells[6], row.place});
  }
  return rows;
}

void lint_mapfile(std::string_view arch, const std::vector<MapfileRow>& rows,
                  Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string fault = fault_of(arch, rows[i]);
    for (std::size_t j = 0; j < i && fault.empty(); ++j)
      if (hides(arch, rows[j], rows[i]))
        fault = fmt::format("'{}' in an earlier row takes all of it", rows[j].pattern);
    if (!fault.empty())
      diagnostics.report(Severity::warning, rows[i].place, "", rows[i].pattern,
                         "can never match: " + fault);
  }
}

}  // namespace evname::trees
