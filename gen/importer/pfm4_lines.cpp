#include "importer/pfm4_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "events/pfm4/known_modifiers.hpp"

namespace evname::importer {
namespace {

/// The words of bits, the lowest first; "-": no meaning here.
using BitWords = std::span<const std::string_view>;
constexpr std::string_view kIntelFlags[] = {
    "ncombo",     "-",           "pebs",           "dfl",
    "grp_excl",   "offcore",     "excl_grp_gt",    "fixed",
    "no_auto",    "override",    "ldlat",          "grp_dfl_none",
    "frontend",   "fethr",       "excl_grp_but_0", "grp_req",
    "filt_umask", "force_filt0", "spec",           "deprecated",
    "dup",        "no_mods"};
constexpr std::string_view kAmdFlags[] = {"ncombo", "ibsfetch", "ibsop", "dfl", "omit"};
constexpr std::string_view kNetburstFlags[] = {"dfl"};
/// The flags of all PMUs; the upper half has flags of single architectures.
constexpr std::string_view kCommonFlags[] = {
    "-", "-", "raw-masks", "arch-default", "no-sampling", "speculation", "deprecated"};

std::string words_of_bits(std::uint64_t bits, BitWords words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i)
    if ((bits >> i & 1) != 0 && words[i] != "-")
      out += (out.empty() ? "" : " ") + std::string(words[i]);
  return out;
}

std::string hex_cell(std::uint64_t number) {
  return number == 0 ? "0" : fmt::format("{:#x}", number);
}
std::string optional_hex(std::uint64_t number) {
  return number == 0 ? "" : fmt::format("{:#x}", number);
}
std::string optional_decimal(std::uint64_t number) {
  return number == 0 ? "" : fmt::format("{}", number);
}

pfm4::Layout layout_of(std::string_view name) {
  constexpr std::pair<std::string_view, pfm4::Layout> kNames[] = {
      {"intel", pfm4::Layout::intel},
      {"nehalem-uncore", pfm4::Layout::nehalem_uncore},
      {"uncore", pfm4::Layout::uncore},
      {"netburst", pfm4::Layout::netburst},
      {"amd", pfm4::Layout::amd},
      {"arm", pfm4::Layout::arm},
      {"arm-uncore", pfm4::Layout::arm_uncore},
      {"torrent", pfm4::Layout::torrent},
      {"mips", pfm4::Layout::mips}};
  for (const auto& [known, layout] : kNames)
    if (known == name) return layout;
  return pfm4::Layout::plain;
}

std::string pmu_name(const PmuNames& names, std::uint64_t id) {
  const auto at = names.find(id);
  return at == names.end() ? fmt::format("{}", id) : at->second;
}

std::string modifier_words(std::uint64_t bits, std::string_view layout) {
  std::string out;
  const auto known = pfm4::modifiers_of(layout_of(layout));
  for (std::size_t i = 0; i < known.size(); ++i)
    if ((bits >> i & 1) != 0) out += (out.empty() ? "" : " ") + std::string(known[i].id);
  return out;
}

/// Returns "FROM-TILL" of the revisions in an AMD flag.
std::string revisions_of(std::uint64_t flags) {
  const std::uint64_t from = flags >> 8 & 0xff, till = flags >> 16 & 0xff;
  return from == 0 && till == 0 ? "" : optional_decimal(from) + "-" + optional_decimal(till);
}

}  // namespace

std::string common_flag_words(std::uint64_t flags) { return words_of_bits(flags, kCommonFlags); }

bool is_common_flag(std::string_view word) { return std::ranges::count(kCommonFlags, word) > 0; }

std::string csv_line(const std::vector<std::string>& cells) {
  std::string out;
  for (const std::string& cell : cells) {
    if (&cell != cells.data()) out += ',';
    if (cell.find_first_of(",\"\n\r") == cell.npos) {
      out += cell;
      continue;
    }
    out += '"';
    for (const char letter : cell) {
      if (letter == '"') out += '"';
      out += letter == '\n' || letter == '\r' ? ' ' : letter;
    }
    out += '"';
  }
  return out + "\n";
}

std::string pfm4_line(const Pfm4Row& row, std::string_view layout, const PmuNames& names) {
  Cells cells(11);
  const bool is_amd = layout == "amd", is_netburst = layout == "netburst";
  cells[row.is_mask ? 1 : 0] = row.name;
  cells[2] = hex_cell(row.code);
  cells[4] = words_of_bits(row.flags, is_amd        ? BitWords(kAmdFlags)
                                      : is_netburst ? BitWords(kNetburstFlags)
                                                    : kIntelFlags);
  const bool needs_other = row.is_mask && cells[4].find("grp_req") != cells[4].npos;
  cells[3] = needs_other ? fmt::format("{}/{}", row.group & 0xff, row.group >> 8)
                         : optional_decimal(row.group);
  cells[5] = modifier_words(row.modifiers, layout);
  cells[6] = modifier_words(row.required, layout);
  if (is_amd) cells[7] = revisions_of(row.flags);
  if (row.model != 0) cells[7] = pmu_name(names, row.model);
  cells[8] = row.alias;
  for (const std::size_t i : {0, 1}) cells[9 + i] = optional_hex(row.filters[i]);
  while (cells.back().empty()) cells.pop_back();
  return csv_line(cells);
}

}  // namespace evname::importer
