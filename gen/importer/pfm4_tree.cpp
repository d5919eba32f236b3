#include "importer/pfm4_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>

#include "base/read_file.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/compiler/write_if_changed.hpp"
#include "events/trees/tree.hpp"
#include "importer/pfm4_dump.hpp"
#include "importer/pfm4_lines.hpp"

namespace evname::importer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPmuHeading =
    "id,name,label,arch,table,events,layout,type,levels,counters,fixed,words,flags,revision,cpu,"
    "perf";
enum PmuColumn : std::uint8_t {
  kId,
  kName,
  kLabel,
  kArch,
  kTable,
  kEvents,
  kLayout,
  kType,
  kLevels,
  kCounters,
  kFixed,
  kWords,
  kPmuFlags,
  kRevision,
  kCpu,
  kPerf,
  kPmuColumns
};

/// What libpfm4's makefile defines for an architecture.
struct BuildKind {
  std::string_view arch;
  std::vector<std::string> macros;
};
const BuildKind kBuilds[] = {
    {"x86",
     {"-DCONFIG_PFMLIB_ARCH_I386", "-DCONFIG_PFMLIB_ARCH_X86", "-DCONFIG_PFMLIB_ARCH_X86_64"}},
    {"arm", {"-DCONFIG_PFMLIB_ARCH_ARM"}},
    {"arm64", {"-DCONFIG_PFMLIB_ARCH_ARM64"}},
    {"powerpc", {"-DCONFIG_PFMLIB_ARCH_POWERPC"}},
    {"s390x", {"-DCONFIG_PFMLIB_ARCH_S390X"}},
    {"mips", {"-DCONFIG_PFMLIB_ARCH_MIPS"}}};

/// Returns what a library of all architectures would be built with.
std::vector<std::string> all_macros() {
  std::vector<std::string> out;
  for (const BuildKind& build : kBuilds)
    out.insert(out.end(), build.macros.begin(), build.macros.end());
  return out;
}

/// Returns the layout of codes from a function of libpfm4.
std::string_view layout_of_encoder(std::string_view function) {
  constexpr std::pair<std::string_view, std::string_view> kEncoders[] = {
      {"pfm_intel_x86_get_encoding", "intel"},
      {"pfm_nhm_unc_get_encoding", "nehalem-uncore"},
      {"pfm_intel_snbep_unc_get_encoding", "uncore"},
      {"pfm_netburst_get_encoding", "netburst"},
      {"pfm_amd64_get_encoding", "amd"},
      {"pfm_arm_get_encoding", "arm"},
      {"pfm_tx2_unc_get_event_encoding", "arm-uncore"},
      {"pfm_kunpeng_unc_get_event_encoding", "arm-uncore"},
      {"pfm_torrent_get_encoding", "torrent"},
      {"pfm_mips_get_encoding", "mips"},
      {"pfm_perf_get_encoding", "generic"},
      {"pfm_perf_raw_get_encoding", "raw"}};
  for (const auto& [known, layout] : kEncoders)
    if (known == function) return layout;
  return "plain";
}

/// An import of libpfm4, step by step.
class Pfm4Importer {
 public:
  Pfm4Importer(std::string directory, std::string into, bool check, trees::Diagnostics& diagnostics)
      : directory_(std::move(directory)),
        into_(std::move(into) + "/pfm4"),
        check_(check),
        diagnostics_(diagnostics) {}

  Pfm4Report run();

 private:
  void read_known();
  Result<void> read_sources();
  void add_pmu(const Pfm4Pmu& pmu);
  void add_table(const Pfm4Pmu& pmu, std::string_view layout);
  Cells pmu_cells(const Pfm4Pmu& pmu);
  std::string pmus_text();
  void write(const std::string& name, const std::string& text);
  void fail(const std::string& path, std::string message) {
    diagnostics_.report(trees::Severity::error, {diagnostics_.add_file(path), 0}, "", "",
                        std::move(message));
  }

  std::string directory_, into_;
  bool check_;
  trees::Diagnostics& diagnostics_;
  std::map<std::string, Cells> known_;             ///< rows of pmus.csv by PMU
  std::vector<std::string> known_order_;           ///< names of the rows of pmus.csv
  std::vector<Pfm4Pmu> pmus_;                      ///< in libpfm4's order
  std::map<std::string, std::string> archs_;       ///< of the PMUs
  std::map<std::string, Cells> rows_;              ///< of pmus.csv, by PMU
  PmuNames names_by_id_;                           ///< of PMUs
  std::map<std::string, std::string> tables_;      ///< the lines of each file
  std::map<std::string, const Pfm4Pmu*> longest_;  ///< the PMU that has most of a table's events
  Pfm4Report report_;
};

void Pfm4Importer::read_known() {
  if (!fs::exists(into_ + "/pmus.csv")) return;
  for (const trees::CsvRow& row : trees::read_csv(into_ + "/pmus.csv", diagnostics_)) {
    Cells cells = row.cells;
    cells.resize(kPmuColumns);
    if (cells[kId] == "id") continue;
    if (const auto id = parse_number(cells[kId])) names_by_id_[*id] = cells[kName];
    known_order_.push_back(cells[kName]);
    known_.insert_or_assign(cells[kName], std::move(cells));
  }
}

/// Reads the PMUs, and which the library of each architecture has.
Result<void> Pfm4Importer::read_sources() {
  Pfm4Dump sources(directory_);
  const std::vector<std::string> all = all_macros();
  if (auto done = sources.compile(all); !done) return done;
  auto pmus = sources.pmus(all);
  if (!pmus) return evname::fail(pmus);
  for (Pfm4Pmu& pmu : *pmus)  // some are of several architectures
    if (std::ranges::count(pmus_, pmu.name, &Pfm4Pmu::name) == 0) pmus_.push_back(std::move(pmu));
  for (const BuildKind& build : kBuilds) {
    const auto own = sources.pmus(build.macros);
    if (!own) return evname::fail(own);
    for (const Pfm4Pmu& pmu : *own) {
      std::string& archs = archs_[pmu.name];
      if (!archs.ends_with(build.arch))  // some are in the list twice
        archs += (archs.empty() ? "" : " ") + std::string(build.arch);
    }
  }
  for (const Pfm4Pmu& pmu : pmus_) {
    names_by_id_[pmu.id] = pmu.name;
    const Pfm4Pmu*& longest = longest_[pmu.table];
    if (longest == nullptr || longest->event_count < pmu.event_count) longest = &pmu;
  }
  return {};
}

/// Returns the file of a table: "intel_skl" of intel_skl_pe.
std::string table_name(std::string symbol) {
  for (const std::string_view end : {"_pe", "_counters", "_events"})
    if (symbol.ends_with(end)) return symbol.substr(0, symbol.size() - end.size());
  return symbol;
}

void Pfm4Importer::add_table(const Pfm4Pmu& pmu, std::string_view layout) {
  std::string text = std::string(kPfm4TableHeading) + "\n";
  for (const Pfm4Row& row : longest_[pmu.table]->rows) {
    text += pfm4_line(row, layout, names_by_id_);
    ++(row.is_mask ? report_.masks : report_.events);
  }
  tables_.insert_or_assign(table_name(pmu.table), std::move(text));
}

Cells Pfm4Importer::pmu_cells(const Pfm4Pmu& pmu) {
  const auto known = known_.find(pmu.name);
  Cells cells = known != known_.end() ? known->second : Cells(kPmuColumns);
  // Events that a machine lists itself are in no table of libpfm4.
  if (std::ranges::count(split(cells[kPmuFlags], ' '), "live") != 0) return cells;
  cells[kLayout] = layout_of_encoder(pmu.encoder);
  if (known == known_.end()) {
    if (!pmu.cpus.empty()) cells[kCpu] = "GenuineIntel-" + pmu.cpus;
    report_.notes.push_back(fmt::format("{} is new, its codes are like '{}', its CPUs are {}",
                                        pmu.name, cells[kLayout],
                                        cells[kCpu].empty() ? "missing" : cells[kCpu]));
  }
  constexpr std::string_view kTypes[] = {"unknown", "core", "uncore", "generic"};
  const std::string& archs = archs_[pmu.name];
  cells[kId] = fmt::format("{}", pmu.id);
  cells[kName] = pmu.name;
  cells[kLabel] = pmu.label;
  cells[kArch] = archs == "x86 arm arm64 powerpc s390x mips" ? "all" : archs;
  if (!pmu.table.empty()) cells[kTable] = table_name(pmu.table);
  if (pmu.event_count != 0 && !cells[kTable].empty())
    cells[kEvents] = fmt::format("{}", pmu.event_count);
  cells[kType] = kTypes[std::min<std::uint64_t>(pmu.type, 3)];
  cells[kLevels] = std::string((pmu.levels & 1) != 0 ? "k" : "") +
                   ((pmu.levels & 8) != 0 ? "u" : "") + ((pmu.levels & 16) != 0 ? "h" : "");
  cells[kCounters] = fmt::format("{}", pmu.counters);
  cells[kFixed] = fmt::format("{}", pmu.fixed);
  cells[kWords] = fmt::format("{}", pmu.words);
  std::string flags = common_flag_words(pmu.flags);
  for (const std::string_view word : split(cells[kPmuFlags], ' '))
    if (!word.empty() && !is_common_flag(word))
      flags += (flags.empty() ? "" : " ") + std::string(word);
  cells[kPmuFlags] = flags;
  if (pmu.revision != 0) cells[kRevision] = fmt::format("{}", pmu.revision);
  if (!pmu.perf.empty()) cells[kPerf] = pmu.perf;
  return cells;
}

void Pfm4Importer::add_pmu(const Pfm4Pmu& pmu) {
  Cells cells = pmu_cells(pmu);
  // The kernel's generic events are no table of libpfm4's: its functions add them.
  if (cells[kLayout] != "generic" && cells[kLayout] != "raw" && !pmu.table.empty() &&
      !tables_.contains(cells[kTable]))
    add_table(pmu, cells[kLayout]);
  rows_.insert_or_assign(pmu.name, std::move(cells));
  ++report_.pmus;
}

/// Returns the number of lines that only one of the texts has.
std::size_t changed_lines(std::string_view before, std::string_view after) {
  std::map<std::string_view, long> counts;
  for (const std::string_view line : split(before, '\n')) --counts[line];
  for (const std::string_view line : split(after, '\n')) ++counts[line];
  std::size_t out = 0;
  for (const auto& [line, count] : counts)
    out += static_cast<std::size_t>(count < 0 ? -count : count);
  return out;
}

void Pfm4Importer::write(const std::string& name, const std::string& text) {
  const std::string path = into_ + "/" + name;
  const std::string before = read_head(path, std::size_t{16} << 20).value_or("");
  if (before == text) {
    ++report_.unchanged;
    return;
  }
  report_.changes.push_back(fmt::format(
      "{}: {}", name,
      before.empty() ? "new" : fmt::format("{} lines differ", changed_lines(before, text))));
  if (!check_ && !compiler::write_if_changed(path, text)) fail(path, "it can't be written");
}

/// Returns pmus.csv: the known rows in their order, with new ones inserted at their place in
/// libpfm4. Rows that the sources lack are kept.
std::string Pfm4Importer::pmus_text() {
  std::vector<std::string> order = known_order_;
  std::string last;
  for (const Pfm4Pmu& pmu : pmus_) {
    if (std::ranges::count(order, pmu.name) == 0) {
      const auto before = std::ranges::find(order, last);
      order.insert(before == order.end() ? before : before + 1, pmu.name);
    }
    last = pmu.name;
  }
  std::string out = std::string(kPmuHeading) + "\n";
  for (const std::string& name : order) {
    const auto row = rows_.find(name);
    const Cells& cells = row != rows_.end() ? row->second : known_[name];
    out += csv_line(cells);
    if (row == rows_.end())
      report_.notes.push_back(
          fmt::format("{} is not in these sources; it is kept, as programs have its number {}",
                      name, cells[kId]));
  }
  return out;
}

Pfm4Report Pfm4Importer::run() {
  read_known();
  if (const auto done = read_sources(); !done) {
    fail(directory_, done.error().text());
    return std::move(report_);
  }
  for (const Pfm4Pmu& pmu : pmus_) add_pmu(pmu);
  if (!check_) fs::create_directories(into_);
  for (const auto& [name, text] : tables_) write(name + ".csv", text);
  write("pmus.csv", pmus_text());
  return std::move(report_);
}

}  // namespace

std::string find_libpfm4(const std::string& directory) {
  for (const std::string_view folder : {"", "/src/libpfm4"})
    if (const std::string path = directory + std::string(folder);
        fs::is_regular_file(path + "/lib/pfmlib_common.c"))
      return path;
  return {};
}

Pfm4Report import_libpfm4(const std::string& directory, const std::string& into, bool check,
                          trees::Diagnostics& diagnostics) {
  return Pfm4Importer(directory, into, check, diagnostics).run();
}

std::string pfm4_text(const Pfm4Report& report) {
  std::string out = fmt::format("libpfm4: {} PMUs, {} events, {} unit masks\n", report.pmus,
                                report.events, report.masks);
  for (const std::string& note : report.notes) out += "  " + note + "\n";
  for (const std::string& change : report.changes) out += "  pfm4/" + change + "\n";
  return out + fmt::format("{} files of pfm4 unchanged\n", report.unchanged);
}

}  // namespace evname::importer
