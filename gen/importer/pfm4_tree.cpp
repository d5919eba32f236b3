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
#include "events/trees/csv.hpp"
#include "importer/c_source.hpp"
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

/// The macros for building libpfm4 for an architecture.
struct BuildKind {
  std::string_view arch;
  std::string_view defined;  ///< macros, with blanks between
};
constexpr BuildKind kBuilds[] = {
    {"x86",
     "CONFIG_PFMLIB_ARCH_I386 CONFIG_PFMLIB_ARCH_X86 CONFIG_PFMLIB_ARCH_X86_64 __x86_64__ "
     "__linux__"},
    {"arm", "CONFIG_PFMLIB_ARCH_ARM __linux__"},
    {"arm64", "CONFIG_PFMLIB_ARCH_ARM64 __linux__"},
    {"powerpc", "CONFIG_PFMLIB_ARCH_POWERPC __linux__"},
    {"s390x", "CONFIG_PFMLIB_ARCH_S390X __linux__"},
    {"mips", "CONFIG_PFMLIB_ARCH_MIPS __linux__"}};

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
      : lib_(std::move(directory) + "/lib"),
        into_(std::move(into) + "/pfm4"),
        check_(check),
        diagnostics_(diagnostics) {}

  Pfm4Report run();

 private:
  void read_known();
  bool read_list();
  void read_sources();
  void read_source(const std::string& path);
  void add_pmu(const CSource& source, const CSource::Object& object);
  void add_table(const CSource& source, const std::string& symbol, std::string_view layout);
  Cells pmu_cells(const CSource& source, const CSource::Object& object);
  std::string pmus_text();
  void write(const std::string& name, const std::string& text);
  void fail(const std::string& path, std::string message) {
    diagnostics_.report(trees::Severity::error, {diagnostics_.add_file(path), 0}, "", "",
                        std::move(message));
  }

  std::string lib_, into_;
  bool check_;
  trees::Diagnostics& diagnostics_;
  std::map<std::string, Cells> known_;         ///< rows of pmus.csv by PMU
  std::vector<std::string> known_order_;       ///< names of the rows of pmus.csv
  std::vector<std::string> order_;             ///< symbols of PMUs, as libpfm4 lists them
  std::map<std::string, std::string> archs_;   ///< of the symbols
  std::map<std::string, Cells> rows_;          ///< of pmus.csv, by symbol
  PmuNames names_by_id_;                       ///< of PMUs
  std::map<std::string, std::string> tables_;  ///< the lines of each file
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

/// Returns the macros for a library of all architectures.
std::string all_defined() {
  std::string out;
  for (const BuildKind& build : kBuilds) (out += build.defined) += ' ';
  return out;
}

/// Reads the PMUs of each architecture's library, in libpfm4's order of searching names.
bool Pfm4Importer::read_list() {
  std::vector<BuildKind> builds(std::begin(kBuilds), std::end(kBuilds));
  const std::string all = all_defined();
  builds.push_back({"", all});
  for (const BuildKind& build : builds) {
    CSource source(build.defined);
    const std::string error = source.read(lib_ + "/pfmlib_common.c");
    const CSource::Object* list = source.find("pfmlib_pmus");
    if (!error.empty() || list == nullptr) {
      fail(lib_ + "/pfmlib_common.c", error.empty() ? "it has no list pfmlib_pmus" : error);
      return false;
    }
    for (const CValue::Member& member : list->value.members) {
      std::string& archs = archs_[member.value.text];
      if (build.arch.empty() && std::ranges::count(order_, member.value.text) == 0)
        order_.push_back(member.value.text);
      else if (!build.arch.empty())
        archs += (archs.empty() ? "" : " ") + std::string(build.arch);
    }
  }
  return true;
}

void Pfm4Importer::read_sources() {
  std::vector<std::string> files;
  for (const std::string& name : list_directory(lib_))
    if (name.starts_with("pfmlib_") && name.ends_with(".c")) files.push_back(lib_ + "/" + name);
  sort_stably(files);
  for (const std::string& file : files) read_source(file);
}

void Pfm4Importer::read_source(const std::string& path) {
  CSource source(all_defined());
  // The numbers of PMUs are in the library's public header.
  for (const std::string& file : {lib_ + "/../include/perfmon/pfmlib.h", path})
    if (const std::string error = source.read(file); !error.empty()) return fail(path, error);
  for (const CSource::Object& object : source.objects())
    if (object.type == "pfmlib_pmu_t" && archs_.contains(object.name))
      names_by_id_[object.value.number_of("pmu")] = object.value.text_of("name");
  for (const CSource::Object& object : source.objects())
    if (object.type == "pfmlib_pmu_t" && archs_.contains(object.name)) add_pmu(source, object);
}

/// Returns the file of a table: "intel_skl" of intel_skl_pe.
std::string table_name(std::string symbol) {
  for (const std::string_view end : {"_pe", "_counters", "_events"})
    if (symbol.ends_with(end)) return symbol.substr(0, symbol.size() - end.size());
  return symbol;
}

void Pfm4Importer::add_table(const CSource& source, const std::string& symbol,
                             std::string_view layout) {
  const CSource::Object* table = source.find(symbol);
  if (table == nullptr) return;
  std::string text = std::string(kPfm4TableHeading) + "\n";
  std::vector<CValue::Member> events = table->value.members;
  sort_stably_by(events, &CValue::Member::index);
  for (const CValue::Member& member : events) {
    const CValue* masks = member.value.find("event_masks");
    if (const std::string name = member.value.symbol_of("umasks"); !name.empty())
      masks = source.find(name) != nullptr ? &source.find(name)->value : nullptr;
    std::string lines;
    std::size_t count = 0;
    for (std::size_t i = 0; masks != nullptr && i < masks->members.size(); ++i) {
      const CValue& mask = masks->members[i].value;
      if (mask.text_of("uname").empty() && mask.text_of("name").empty()) continue;
      lines += pfm4_mask_line(mask, layout, names_by_id_);
      ++count;
    }
    text += pfm4_event_line(member.value, layout, count, names_by_id_) + lines;
    ++report_.events;
    report_.masks += count;
  }
  tables_.insert_or_assign(table_name(symbol), std::move(text));
}

/// Returns the CPUs of an Intel PMU whose models are listed.
std::string cpus_of(const CSource& source, const CValue& pmu) {
  const CSource::Object* models = source.find(pmu.symbol_of("cpu_models"));
  const std::uint64_t family = pmu.number_of("cpu_family");
  if (models == nullptr || family == 0) return {};
  std::string list;
  for (const CValue::Member& member : models->value.members)
    if (member.value.number != 0)
      list += fmt::format("{}{:x}", list.empty() ? "" : ",", member.value.number);
  return fmt::format("GenuineIntel-{}-{}", family, list);
}

Cells Pfm4Importer::pmu_cells(const CSource& source, const CSource::Object& object) {
  const CValue& pmu = object.value;
  const std::string name = pmu.text_of("name");
  const auto known = known_.find(name);
  Cells cells = known != known_.end() ? known->second : Cells(kPmuColumns);
  // Events that a machine lists itself are in no table of libpfm4.
  if (std::ranges::count(split(cells[kPmuFlags], ' '), "live") != 0) return cells;
  cells[kLayout] = layout_of_encoder(pmu.symbol_of("get_event_encoding[0]"));
  if (known == known_.end()) {
    cells[kCpu] = cpus_of(source, pmu);
    report_.notes.push_back(fmt::format("{} is new, its codes are like '{}', its CPUs are {}", name,
                                        cells[kLayout],
                                        cells[kCpu].empty() ? "missing" : cells[kCpu]));
  }
  constexpr std::string_view kTypes[] = {"unknown", "core", "uncore", "generic"};
  cells[kId] = fmt::format("{}", pmu.number_of("pmu"));
  cells[kName] = name;
  cells[kLabel] = pmu.text_of("desc");
  cells[kArch] =
      archs_[object.name] == "x86 arm arm64 powerpc s390x mips" ? "all" : archs_[object.name];
  if (const std::string table = pmu.symbol_of("pe"); source.find(table) != nullptr)
    cells[kTable] = table_name(table);
  if (pmu.number_of("pme_count") != 0 && !cells[kTable].empty())
    cells[kEvents] = fmt::format("{}", pmu.number_of("pme_count"));
  cells[kType] = kTypes[std::min<std::uint64_t>(pmu.number_of("type"), 3)];
  const std::uint64_t levels = pmu.number_of("supported_plm");
  cells[kLevels] = std::string((levels & 1) != 0 ? "k" : "") + ((levels & 8) != 0 ? "u" : "") +
                   ((levels & 16) != 0 ? "h" : "");
  cells[kCounters] = fmt::format("{}", pmu.number_of("num_cntrs"));
  cells[kFixed] = fmt::format("{}", pmu.number_of("num_fixed_cntrs"));
  cells[kWords] = fmt::format("{}", pmu.number_of("max_encoding"));
  std::string flags = common_flag_words(pmu.number_of("flags"));
  for (const std::string_view word : split(cells[kPmuFlags], ' '))
    if (!word.empty() && !is_common_flag(word))
      flags += (flags.empty() ? "" : " ") + std::string(word);
  cells[kPmuFlags] = flags;
  if (pmu.number_of("pmu_rev") != 0) cells[kRevision] = fmt::format("{}", pmu.number_of("pmu_rev"));
  if (const std::string perf = pmu.text_of("perf_name"); !perf.empty()) cells[kPerf] = perf;
  return cells;
}

void Pfm4Importer::add_pmu(const CSource& source, const CSource::Object& object) {
  Cells cells = pmu_cells(source, object);
  // The kernel's generic events are in no table of libpfm4: its functions add them.
  if (cells[kLayout] != "generic" && cells[kLayout] != "raw" && !tables_.contains(cells[kTable]) &&
      !cells[kTable].empty())
    add_table(source, object.value.symbol_of("pe"), cells[kLayout]);
  rows_.insert_or_assign(object.name, std::move(cells));
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
  std::map<std::string, const Cells*> read;
  std::vector<std::string> order = known_order_;
  std::string last;
  for (const std::string& symbol : order_) {
    const auto row = rows_.find(symbol);
    if (row == rows_.end()) {
      report_.notes.push_back(fmt::format("{} is listed, but no source has it", symbol));
      continue;
    }
    const std::string& name = row->second[kName];
    read[name] = &row->second;
    if (std::ranges::count(order, name) == 0) {
      const auto before = std::ranges::find(order, last);
      order.insert(before == order.end() ? before : before + 1, name);
    }
    last = name;
  }
  std::string out = std::string(kPmuHeading) + "\n";
  for (const std::string& name : order) {
    const auto row = read.find(name);
    const Cells& cells = row != read.end() ? *row->second : known_[name];
    out += csv_line(cells);
    if (row == read.end())
      report_.notes.push_back(
          fmt::format("{} is not in these sources; it is kept, as programs have its number {}",
                      name, cells[kId]));
  }
  return out;
}

Pfm4Report Pfm4Importer::run() {
  read_known();
  if (!read_list()) return std::move(report_);
  read_sources();
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
