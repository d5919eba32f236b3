#include "gen/pfm4.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <span>

#include <tsl/robin_map.h>

#include "base/sorting.hpp"
#include "base/text.hpp"
#include "base/text_pool.hpp"
#include "events/pfm4/dictionary.hpp"
#include "events/pfm4/known_modifiers.hpp"
#include "events/trees/tree.hpp"
#include "gen/pfm4_texts.hpp"

namespace evname::gen {
namespace {

namespace pfm4 = evname::pfm4;
using trees::CsvRow;

/// The words of a column and their values.
using Words = std::span<const std::string_view>;

constexpr std::array<std::string_view, 12> kLayouts = {
    "intel",      "nehalem-uncore", "uncore", "netburst", "amd",     "arm",
    "arm-uncore", "torrent",        "mips",   "plain",    "generic", "raw"};
constexpr std::array<std::string_view, 4> kTypes = {"unknown", "core", "uncore", "generic"};
constexpr std::array<std::string_view, 6> kArchs = {"x86",     "arm",   "arm64",
                                                    "powerpc", "s390x", "mips"};
constexpr std::array<std::string_view, 13> kPmuFlags = {
    "raw-masks",       "arch-default",  "no-sampling", "speculation", "deprecated",
    "edge-cmask",      "extended-pebs", "occupancy",   "cbo",         "cha",
    "no-os-modifiers", "needs-sysfs",   "live"};
constexpr std::array<std::string_view, 22> kFlags = {
    "ncombo",  "pebs",           "dfl",      "grp_excl",   "offcore",      "excl_grp_gt",
    "fixed",   "no_auto",        "override", "ldlat",      "grp_dfl_none", "frontend",
    "fethr",   "excl_grp_but_0", "grp_req",  "filt_umask", "force_filt0",  "spec",
    "no_mods", "omit",           "ibsfetch", "ibsop"};
/// Flags of the tables that no encoder uses.
constexpr std::array<std::string_view, 3> kIgnoredFlags = {"generic", "deprecated", "dup"};

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

class Pfm4Compiler {
 public:
  Pfm4Compiler(trees::Diagnostics& diagnostics, Pfm4Texts& texts)
      : diagnostics_(diagnostics), descriptions_(texts) {}

  void read(const std::string& directory, std::vector<std::string>& files);
  std::string source() const;

 private:
  struct TableKey {
    std::string name, layout;
    bool operator<(const TableKey& other) const {
      return std::tie(name, layout) < std::tie(other.name, other.layout);
    }
  };

  void fail(const CsvRow& row, std::string message) {
    diagnostics_.report(trees::Severity::error, row.place, {}, {}, std::move(message));
  }
  static std::string_view cell(const CsvRow& row, std::size_t column) {
    return column < row.cells.size() ? std::string_view(row.cells[column]) : std::string_view();
  }
  pfm4::Text text(std::string_view text) { return texts_.add(text); }
  /// Returns the number of a cell, 0 for an empty one. Reports an error if the cell has no number,
  /// or one that the type can't hold.
  template <class T = std::uint64_t>
  T number(const CsvRow& row, std::string_view cell);
  std::uint32_t bits(const CsvRow& row, std::string_view cell, Words words);
  std::uint8_t position(const CsvRow& row, std::string_view cell, Words words);
  std::uint32_t modifier_bits(const CsvRow& row, std::string_view cell, pfm4::Layout layout);
  pfm4::Traits traits_of(const CsvRow& row, pfm4::Layout layout);
  std::uint32_t traits_index(const pfm4::Traits& traits);
  void add_cpus(const CsvRow& row, std::string_view cell, pfm4::Pmu& pmu);
  void add_ranges(const CsvRow& row, std::string_view list, pfm4::CpuRange range);
  std::uint32_t mask_run(const std::vector<pfm4::Mask>& masks);
  std::uint16_t table(const std::string& path, const DescribedEvent& place, pfm4::Layout layout,
                      std::vector<std::string>& files);
  std::uint16_t hash_of(pfm4::Text name) const {
    return static_cast<std::uint16_t>(name_hash(strings_.data() + name) >> 16);
  }
  void add_masks(pfm4::Event& event, const std::vector<pfm4::Mask>& masks);
  /// Appends slots for names, and returns their number minus one.
  std::uint32_t add_slots(const std::vector<pfm4::Text>& names, std::vector<std::uint16_t>& slots);
  pfm4::Pmu pmu_of(const CsvRow& row, const std::string& directory,
                   std::vector<std::string>& files);

  trees::Diagnostics& diagnostics_;
  Pfm4Texts& descriptions_;
  std::string strings_ = std::string(1, '\0');
  UniqueTexts texts_{strings_};
  tsl::robin_map<std::string, std::uint32_t> traits_indexes_, mask_runs_;
  std::map<std::string, std::uint16_t> table_indexes_;
  std::map<std::string, pfm4::Pmu> cpu_runs_;  ///< sets first_cpu and cpu_count
  std::map<std::string, std::uint16_t> ids_;   ///< of PMUs by their names
  std::vector<pfm4::Pmu> pmus_;
  std::vector<pfm4::CpuRange> cpus_;
  std::vector<pfm4::EventTable> tables_;
  std::vector<pfm4::Event> events_;
  std::vector<std::uint16_t> slots_, pmu_slots_;
  std::vector<pfm4::Mask> masks_;
  std::vector<pfm4::Traits> traits_;
  std::vector<pfm4::Preset> presets_;
};

template <class T>
T Pfm4Compiler::number(const CsvRow& row, std::string_view cell) {
  if (cell.empty()) return 0;
  const auto value = parse_number(cell);
  if (value && *value <= std::numeric_limits<T>::max()) return static_cast<T>(*value);
  fail(row, fmt::format("'{}' is {}", cell, value ? "too large" : "not a number"));
  return 0;
}

std::uint32_t Pfm4Compiler::bits(const CsvRow& row, std::string_view cell, Words words) {
  std::uint32_t out = 0;
  for (const std::string_view word : split(cell, ' ')) {
    if (word.empty() || std::ranges::count(kIgnoredFlags, word) != 0) {
      if (word != "deprecated" || words.size() != kPmuFlags.size()) continue;
    }
    const auto at = std::ranges::find(words, word);
    if (at == words.end())
      fail(row, fmt::format("'{}' is not known", word));
    else
      out |= 1u << (at - words.begin());
  }
  return out;
}

std::uint8_t Pfm4Compiler::position(const CsvRow& row, std::string_view cell, Words words) {
  const auto at = std::ranges::find(words, cell);
  if (at == words.end()) {
    fail(row, fmt::format("'{}' is not known", cell));
    return 0;
  }
  return static_cast<std::uint8_t>(at - words.begin());
}

std::uint32_t Pfm4Compiler::modifier_bits(const CsvRow& row, std::string_view cell,
                                          pfm4::Layout layout) {
  std::uint32_t out = 0;
  const auto known = pfm4::modifiers_of(layout);
  for (const std::string_view word : split(cell, ' ')) {
    if (word.empty()) continue;
    const auto at = std::ranges::find(known, word, &pfm4::Modifier::id);
    if (at == known.end())
      fail(row, fmt::format("the modifier '{}' is not known", word));
    else
      out |= 1u << (at - known.begin());
  }
  return out;
}

// event,mask,code,group,flags,modifiers,required,only,alias,filter0,filter1
pfm4::Traits Pfm4Compiler::traits_of(const CsvRow& row, pfm4::Layout layout) {
  pfm4::Traits out;
  const std::string_view group = cell(row, 3), only = cell(row, 7);
  const std::size_t slash = group.find('/');
  out.group = number<std::uint8_t>(row, group.substr(0, slash));
  if (slash != group.npos)
    out.group = static_cast<std::uint16_t>(out.group |
                                           number<std::uint8_t>(row, group.substr(slash + 1)) << 8);
  out.flags = bits(row, cell(row, 4), kFlags);
  out.modifiers = modifier_bits(row, cell(row, 5), layout);
  out.required = layout == pfm4::Layout::generic ? number<std::uint32_t>(row, cell(row, 6))
                                                 : modifier_bits(row, cell(row, 6), layout);
  if (const std::size_t dash = only.find('-'); dash != only.npos) {  // revisions: FROM-TILL
    out.from = number<std::uint8_t>(row, only.substr(0, dash));
    if (dash + 1 < only.size()) out.till = number<std::uint8_t>(row, only.substr(dash + 1));
  } else if (!only.empty()) {
    const auto at = ids_.find(std::string(only));
    if (at == ids_.end())
      fail(row, fmt::format("there is no PMU '{}'", only));
    else
      out.only = at->second;
  }
  out.alias = text(cell(row, 8));
  out.filters[0] = number(row, cell(row, 9));
  out.filters[1] = number(row, cell(row, 10));
  return out;
}

std::uint32_t Pfm4Compiler::traits_index(const pfm4::Traits& traits) {
  const auto [at, is_new] =
      traits_indexes_.try_emplace(bytes_of(traits), static_cast<std::uint32_t>(traits_.size()));
  if (is_new) traits_.push_back(traits);
  return at->second;
}

std::uint32_t Pfm4Compiler::mask_run(const std::vector<pfm4::Mask>& masks) {
  std::string bytes;
  for (const pfm4::Mask& mask : masks) bytes += bytes_of(mask);
  const auto [at, is_new] =
      mask_runs_.try_emplace(bytes, static_cast<std::uint32_t>(masks_.size()));
  if (is_new) masks_.insert(masks_.end(), masks.begin(), masks.end());
  return at->second;
}

void Pfm4Compiler::add_masks(pfm4::Event& event, const std::vector<pfm4::Mask>& masks) {
  event.first_mask = mask_run(masks);
  event.mask_count = static_cast<std::uint16_t>(masks.size());
  for (const pfm4::Mask& mask : masks) {
    const pfm4::Traits& traits = traits_[mask.traits];
    const bool is_everywhere = traits.only == 0 && traits.from == 0 && traits.till == 0xff;
    if (!is_everywhere)
      event.flags |= pfm4::kHasOthersMask;
    else if ((traits.flags & pfm4::kPrecise) != 0)
      event.flags |= pfm4::kHasPreciseMask;
  }
}

std::uint32_t Pfm4Compiler::add_slots(const std::vector<pfm4::Text>& names,
                                      std::vector<std::uint16_t>& slots) {
  std::size_t size = 2;
  while (size < 2 * names.size()) size *= 2;
  const std::size_t first = slots.size();
  slots.resize(first + size);
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::size_t slot = name_hash(strings_.data() + names[i]) & (size - 1);
    while (slots[first + slot] != 0) slot = (slot + 1) & (size - 1);
    slots[first + slot] = static_cast<std::uint16_t>(i + 1);
  }
  return static_cast<std::uint32_t>(size - 1);
}

std::uint16_t Pfm4Compiler::table(const std::string& path, const DescribedEvent& place,
                                  pfm4::Layout layout, std::vector<std::string>& files) {
  const auto [at, is_new] =
      table_indexes_.try_emplace(path, static_cast<std::uint16_t>(tables_.size()));
  if (!is_new) return at->second;
  files.push_back(path);
  pfm4::EventTable out{static_cast<std::uint32_t>(events_.size()), 0,
                       static_cast<std::uint32_t>(slots_.size()), 0};
  std::vector<pfm4::Text> names;
  std::vector<pfm4::Mask> masks;
  DescribedEvent described = place;
  std::vector<DescribedEvent> described_masks;
  const auto close = [&] {
    if (!described.name.empty()) descriptions_.add_event(described, described_masks);
    if (!masks.empty()) add_masks(events_.back(), masks);
    masks.clear();
    described_masks.clear();
  };
  const std::vector<CsvRow> rows = trees::read_csv(path, diagnostics_);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const CsvRow& row = rows[i];
    const std::uint32_t traits = traits_index(traits_of(row, layout));
    if (traits > UINT16_MAX) fail(row, "too many kinds of events and masks");
    const std::uint64_t code = number(row, cell(row, 2));
    if (!cell(row, 0).empty()) {
      close();
      names.push_back(text(cell(row, 0)));
      described.name = cell(row, 0);
      described.code = code;
      events_.push_back(
          {code, names.back(), 0, 0, static_cast<std::uint16_t>(traits), hash_of(names.back()), 0});
    } else if (events_.size() == out.first) {
      fail(row, "a unit mask before the first event");
    } else {
      const pfm4::Text name = text(cell(row, 1));
      described_masks.push_back(described);
      described_masks.back().name += fmt::format(".{}", cell(row, 1));
      described_masks.back().mask = code;
      masks.push_back({code, name & 0xffffff, traits_[traits].group & 0xffu,
                       static_cast<std::uint16_t>(traits), hash_of(name)});
    }
  }
  close();
  out.count = static_cast<std::uint32_t>(events_.size() - out.first);
  if (out.count >= UINT16_MAX) fail(rows.back(), "too many events");
  if (rows.size() > UINT16_MAX) fail(rows.back(), "too many unit masks");
  out.last_slot = add_slots(names, slots_);
  tables_.push_back(out);
  return at->second;
}

/// Adds the ranges of "0..3,a", whose numbers are the lower half of CPU numbers.
void Pfm4Compiler::add_ranges(const CsvRow& row, std::string_view list, pfm4::CpuRange range) {
  for (const std::string_view item : split(list, ',')) {
    const std::size_t dots = item.find("..");
    const auto first = parse_hex(item.substr(0, dots));
    const auto last = dots == item.npos ? first : parse_hex(item.substr(dots + 2));
    if (!first || !last || *first > *last || *last > 0xffff)
      return fail(row, fmt::format("'{}' is not a range of models", item));
    pfm4::CpuRange out = range;
    out.first |= static_cast<std::uint32_t>(*first);
    out.last |= static_cast<std::uint32_t>(*last);
    cpus_.push_back(out);
  }
}

/// Returns a bit for each stepping of "0..3,a".
std::uint16_t bits_of(std::string_view list) {
  std::uint16_t out = 0;
  for (const std::string_view item : split(list, ',')) {
    const std::size_t dots = item.find("..");
    const auto first = parse_hex(item.substr(0, dots)).value_or(0);
    const auto last = dots == item.npos ? first : parse_hex(item.substr(dots + 2)).value_or(0);
    for (std::uint64_t i = first; i <= last && i < 16; ++i)
      out = static_cast<std::uint16_t>(out | 1u << i);
  }
  return out;
}

/// VENDOR-FAMILY-MODELS-STEPPINGS, which may end early; Arm-IMPLEMENTER-PART; PVR-VERSION.
void Pfm4Compiler::add_cpus(const CsvRow& row, std::string_view cell, pfm4::Pmu& pmu) {
  if (cell.empty()) return;
  const auto [at, is_new] = cpu_runs_.try_emplace(std::string(cell));
  if (is_new) {
    at->second.first_cpu = static_cast<std::uint16_t>(cpus_.size());
    for (const std::string_view pattern : split(cell, ' ')) {
      const auto parts = split(pattern, '-');
      pfm4::CpuRange range;
      range.maker = parts[0] == "GenuineIntel"   ? pfm4::Maker::intel
                    : parts[0] == "AuthenticAMD" ? pfm4::Maker::amd
                    : parts[0] == "Arm"          ? pfm4::Maker::arm
                    : parts[0] == "PVR"          ? pfm4::Maker::power
                                                 : pfm4::Maker::none;
      const bool is_power = range.maker == pfm4::Maker::power;
      const bool is_arm = range.maker == pfm4::Maker::arm;
      if (range.maker == pfm4::Maker::none || parts.size() < (is_arm ? 3 : 2)) {
        fail(row, fmt::format("'{}' is no CPU", pattern));
        continue;
      }
      if (!is_power) {
        const auto upper = is_arm ? parse_hex(parts[1]) : parse_decimal(parts[1]);
        if (!upper || *upper > 0xffff) fail(row, fmt::format("'{}' is not a family", parts[1]));
        range.first = range.last = static_cast<std::uint32_t>(upper.value_or(0) << 16);
      }
      if (parts.size() > 3) range.steppings = bits_of(parts[3]);
      add_ranges(row, is_power ? parts[1] : parts.size() > 2 ? parts[2] : "0..ffff", range);
    }
    at->second.cpu_count = static_cast<std::uint16_t>(cpus_.size() - at->second.first_cpu);
  }
  pmu.first_cpu = at->second.first_cpu;
  pmu.cpu_count = at->second.cpu_count;
}

// id,name,label,arch,table,events,layout,type,levels,counters,fixed,words,flags,revision,cpu,perf
pfm4::Pmu Pfm4Compiler::pmu_of(const CsvRow& row, const std::string& directory,
                               std::vector<std::string>& files) {
  const auto small = [&](std::size_t column) {
    return number<std::uint8_t>(row, cell(row, column));
  };
  pfm4::Pmu out;
  out.id = number<std::uint16_t>(row, cell(row, 0));
  out.name = text(cell(row, 1));
  out.label = text(cell(row, 2));
  out.archs =
      cell(row, 3) == "all" ? 0x3f : static_cast<std::uint8_t>(bits(row, cell(row, 3), kArchs));
  out.count = number<std::uint16_t>(row, cell(row, 5));
  out.layout = static_cast<pfm4::Layout>(position(row, cell(row, 6), kLayouts));
  out.type = static_cast<pfm4::PmuType>(position(row, cell(row, 7), kTypes));
  for (const char level : cell(row, 8))
    out.levels |= level == 'k' ? pfm4::kKernel : level == 'u' ? pfm4::kUser : pfm4::kHypervisor;
  out.counters = small(9);
  out.fixed = small(10);
  out.words = small(11);
  out.flags = static_cast<std::uint16_t>(bits(row, cell(row, 12), kPmuFlags));
  out.revision = small(13);
  add_cpus(row, cell(row, 14), out);
  out.perf = text(cell(row, 15));
  if (const std::string_view name = cell(row, 4); !name.empty()) {
    std::string_view arch = cell(row, 3);
    arch = arch.substr(0, arch.find(' '));
    const DescribedEvent place{arch == "s390x" ? "s390" : arch, name, {}, 0, 0};
    out.table = table(fmt::format("{}/{}.csv", directory, name), place, out.layout, files);
  }
  return out;
}

void Pfm4Compiler::read(const std::string& directory, std::vector<std::string>& files) {
  std::vector<CsvRow> rows;
  for (const char* name : {"/pmus.csv", "/own_pmus.csv"}) {
    files.push_back(directory + name);
    std::vector<CsvRow> more = trees::read_csv(files.back(), diagnostics_);
    rows.insert(rows.end(), more.begin() + !more.empty(), more.end());
  }
  // Generic events are searched last, after the events of all Intel CPUs.
  sort_stably_by(rows, [](const CsvRow& row) {
    return cell(row, 7) == "generic" ? 2 : cell(row, 1) == "ix86arch" ? 1 : 0;
  });
  for (const CsvRow& row : rows) {
    text(cell(row, 1));  // the names of PMUs come first
    ids_[std::string(cell(row, 1))] = number<std::uint16_t>(row, cell(row, 0));
  }
  for (const CsvRow& row : rows) {
    pmus_.push_back(pmu_of(row, directory, files));
    if (pmus_.back().count > 0 && pmus_.back().count > tables_[pmus_.back().table].count)
      fail(row, "more events than its table has");
  }
  std::vector<pfm4::Text> names;
  for (const pfm4::Pmu& pmu : pmus_) names.push_back(pmu.name);
  add_slots(names, pmu_slots_);
  if (cpus_.size() > UINT16_MAX) fail(rows.back(), "too many ranges of CPUs");
  if (strings_.size() >> 24 != 0) fail(rows.back(), "more text than Mask::name can say");
  files.push_back(directory + "/presets.csv");
  const std::vector<CsvRow> presets = trees::read_csv(files.back(), diagnostics_);
  for (std::size_t i = 1; i < presets.size(); ++i)
    presets_.push_back(
        {text(cell(presets[i], 0)), text(cell(presets[i], 1)), text(cell(presets[i], 2))});
}

void append_row(std::string& out, std::uint16_t index) { out += fmt::format("{},\n", index); }
void append_row(std::string& out, const pfm4::Preset& p) {
  out += fmt::format("{{{},{},{}}},\n", p.name, p.meaning, p.events);
}
void append_row(std::string& out, const pfm4::Mask& m) {
  out += fmt::format("{{{:#x},{},{},{},{}}},\n", m.code, pfm4::Text{m.name}, pfm4::Text{m.group},
                     m.traits, m.hash);
}
void append_row(std::string& out, const pfm4::Event& e) {
  out += fmt::format("{{{:#x},{},{},{},{},{},{}}},\n", e.code, e.name, e.first_mask, e.mask_count,
                     e.traits, e.hash, e.flags);
}
void append_row(std::string& out, const pfm4::Traits& t) {
  out += fmt::format("{{{{{:#x},{:#x}}},{},{},{},{},{},{},{},{}}},\n", t.filters[0], t.filters[1],
                     t.flags, t.modifiers, t.required, t.alias, t.group, t.only, t.from, t.till);
}
void append_row(std::string& out, const pfm4::EventTable& t) {
  out += fmt::format("{{{},{},{},{}}},\n", t.first, t.count, t.first_slot, t.last_slot);
}
void append_row(std::string& out, const pfm4::CpuRange& c) {
  out += fmt::format("{{{:#x},{:#x},{},Maker({})}},\n", c.first, c.last, c.steppings,
                     static_cast<int>(c.maker));
}
void append_row(std::string& out, const pfm4::Pmu& p) {
  out += fmt::format("{{{},{},{},{},{},{},{},{},{},Layout({}),PmuType({}),{},{},{},{},{},{}}},\n",
                     p.name, p.label, p.perf, p.first_cpu, p.cpu_count, p.id, p.table, p.count,
                     p.flags, static_cast<int>(p.layout), static_cast<int>(p.type), p.archs,
                     p.levels, p.counters, p.fixed, p.words, p.revision);
}

template <class Row>
void append_table(std::string& out, const char* type, const char* name,
                  const std::vector<Row>& rows) {
  out += fmt::format("const {} {}[] = {{\n", type, name);
  for (const Row& row : rows) append_row(out, row);
  out += "};\n";
}

void append_strings(std::string& out, std::string_view strings) {
  out += "const char kStrings[] =";
  while (!strings.empty()) {
    const std::string_view piece = strings.substr(0, strings.find('\0'));
    out += fmt::format("\n    \"{}\\0\"", piece);
    strings.remove_prefix(piece.size() + 1);
  }
  out += ";\n";
}

// The data for starting a program are contiguous, after the large data: each 64 KB that it touches
// cost it a page fault.
std::string Pfm4Compiler::source() const {
  std::string out =
      "// Generated by evname-gen; do not edit.\n#include \"events/pfm4/dictionary.hpp\"\n\n"
      "namespace evname::pfm4 {\n";
  append_table(out, "Preset", "kPresets", presets_);
  append_table(out, "Mask", "kMasks", masks_);
  append_table(out, "Event", "kEvents", events_);
  append_table(out, "std::uint16_t", "kSlots", slots_);
  append_table(out, "Traits", "kTraits", traits_);
  append_table(out, "EventTable", "kTables", tables_);
  append_table(out, "std::uint16_t", "kPmuSlots", pmu_slots_);
  append_table(out, "CpuRange", "kCpus", cpus_);
  append_table(out, "Pmu", "kPmus", pmus_);
  out += fmt::format("const TableSizes kTableSizes{{{},{},{},{},{},{},{},{},{}}};\n", pmus_.size(),
                     cpus_.size(), tables_.size(), events_.size(), slots_.size(), pmu_slots_.size(),
                     masks_.size(), traits_.size(), presets_.size());
  append_strings(out, strings_);
  out += "}  // namespace evname::pfm4\n";
  return out;
}

}  // namespace

Pfm4Sources emit_pfm4(const std::string& directory, trees::Diagnostics& diagnostics,
                      std::vector<std::string>& files) {
  Pfm4Texts texts(directory + "/..", diagnostics, files);
  Pfm4Compiler all(diagnostics, texts);
  all.read(directory, files);
  return {all.source(), texts.source()};
}

}  // namespace evname::gen
