#include "importer/pfm4_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string_view>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "events/compiler/write_if_changed.hpp"
#include "events/pfm4/known_modifiers.hpp"
#include "events/trees/csv.hpp"
#include "importer/c_source.hpp"

namespace evname::importer {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kTableHeading =
    "event,mask,code,group,flags,modifiers,required,only,alias,filter0,filter1";
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

/// What libpfm4 is built with for an architecture.
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

/// The words of bits, the lowest first; "-": it says nothing here.
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
/// The flags that all PMUs have; those of single architectures are the upper half.
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

/// Returns the cells as a line, without empty ones at its end.
std::string short_csv_line(std::vector<std::string> cells) {
  while (!cells.empty() && cells.back().empty()) cells.pop_back();
  return csv_line(cells);
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

/// Returns the layout of the codes that a function of libpfm4 makes.
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
  using Cells = std::vector<std::string>;

  void read_known();
  bool read_list();
  void read_sources();
  void read_source(const std::string& path);
  void add_pmu(const CSource& source, const CSource::Object& object);
  void add_table(const CSource& source, const std::string& symbol, std::string_view layout);
  Cells pmu_cells(const CSource& source, const CSource::Object& object);
  std::string event_line(const CValue& event, std::string_view layout, std::size_t masks) const;
  std::string mask_line(const CValue& mask, std::string_view layout) const;
  std::string modifier_words(std::uint64_t bits, std::string_view layout) const;
  std::string pmu_name(std::uint64_t id) const;
  std::string pmus_text();
  void write(const std::string& name, const std::string& text);
  void fail(const std::string& path, std::string message) {
    diagnostics_.report(trees::Severity::error, {diagnostics_.add_file(path), 0}, "", "",
                        std::move(message));
  }

  std::string lib_, into_;
  bool check_;
  trees::Diagnostics& diagnostics_;
  std::map<std::string, Cells> known_;                ///< rows of pmus.csv by PMU
  std::vector<std::string> known_order_;              ///< names of the rows of pmus.csv
  std::vector<std::string> order_;                    ///< symbols of PMUs, as libpfm4 lists them
  std::map<std::string, std::string> archs_;          ///< of the symbols
  std::map<std::string, Cells> rows_;                 ///< of pmus.csv, by symbol
  std::map<std::uint64_t, std::string> names_by_id_;  ///< of PMUs
  std::map<std::string, std::string> tables_;         ///< the lines of each file
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

/// Returns what a library of all architectures would be built with.
std::string all_defined() {
  std::string out;
  for (const BuildKind& build : kBuilds) (out += build.defined) += ' ';
  return out;
}

/// Reads which PMUs the library of each architecture has, and the order in which libpfm4 looks for
/// names in them.
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
  std::ranges::sort(files);
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

std::string Pfm4Importer::pmu_name(std::uint64_t id) const {
  const auto at = names_by_id_.find(id);
  return at == names_by_id_.end() ? fmt::format("{}", id) : at->second;
}

std::string Pfm4Importer::modifier_words(std::uint64_t bits, std::string_view layout) const {
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

std::string Pfm4Importer::event_line(const CValue& event, std::string_view layout,
                                     std::size_t masks) const {
  Cells cells(11);
  const bool is_amd = layout == "amd", is_netburst = layout == "netburst";
  const bool is_power = event.find("pme_name") != nullptr;
  const std::uint64_t flags = event.number_of("flags");
  cells[0] = event.text_of(is_power ? "pme_name" : "name");
  std::uint64_t code = event.number_of(is_power ? "pme_code" : "code");
  if (event.find("ctrnum") != nullptr) code = event.number_of("ctrnum");
  if (is_netburst)
    code = event.number_of("perf_code") << 16 | event.number_of("escr_select") << 8 |
           event.number_of("event_select");
  cells[2] = hex_cell(code);
  cells[3] = optional_decimal(is_netburst && masks > 0 ? 1 : event.number_of("ngrp"));
  cells[4] = is_netburst ? "" : words_of_bits(flags, is_amd ? BitWords(kAmdFlags) : kIntelFlags);
  // All events of MIPS have all of its modifiers.
  const std::uint64_t all = layout == "mips" ? ~std::uint64_t{0} : 0;
  cells[5] = modifier_words(event.number_of(is_power ? "pme_modmsk" : "modmsk") | all, layout);
  cells[6] = modifier_words(event.number_of("modmsk_req"), layout);
  if (is_amd) cells[7] = revisions_of(flags);
  if (event.number_of("model") != 0) cells[7] = pmu_name(event.number_of("model"));
  cells[8] = event.text_of("equiv");
  return short_csv_line(std::move(cells));
}

std::string Pfm4Importer::mask_line(const CValue& mask, std::string_view layout) const {
  Cells cells(11);
  const bool is_amd = layout == "amd", is_netburst = layout == "netburst";
  const std::uint64_t flags = mask.number_of(is_netburst ? "flags" : "uflags");
  const std::uint64_t group = mask.number_of("grpid");
  cells[1] = mask.text_of(is_netburst ? "name" : "uname");
  cells[2] = hex_cell(mask.number_of(is_netburst ? "bit" : "ucode"));
  cells[4] = words_of_bits(flags, is_amd        ? BitWords(kAmdFlags)
                                  : is_netburst ? BitWords(kNetburstFlags)
                                                : kIntelFlags);
  const bool needs_other = cells[4].find("grp_req") != cells[4].npos;
  cells[3] = needs_other ? fmt::format("{}/{}", group & 0xff, group >> 8) : optional_decimal(group);
  cells[5] = modifier_words(mask.number_of("modhw"), layout);
  cells[6] = modifier_words(mask.number_of("umodmsk_req"), layout);
  if (is_amd) cells[7] = revisions_of(flags);
  if (mask.number_of("umodel") != 0) cells[7] = pmu_name(mask.number_of("umodel"));
  cells[8] = mask.text_of("uequiv");
  if (const CValue* filters = mask.find("ufilters"); filters != nullptr)
    for (std::size_t i = 0; i < std::min<std::size_t>(filters->members.size(), 2); ++i)
      cells[9 + i] = optional_hex(filters->members[i].value.number);
  for (const std::size_t i : {0, 1})
    if (const auto number = mask.number_of(fmt::format("ufilters[{}]", i)); number != 0)
      cells[9 + i] = optional_hex(number);
  return short_csv_line(std::move(cells));
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
  std::string text = std::string(kTableHeading) + "\n";
  std::vector<CValue::Member> events = table->value.members;
  std::ranges::stable_sort(events, {}, &CValue::Member::index);
  for (const CValue::Member& member : events) {
    const CValue* masks = member.value.find("event_masks");
    if (const std::string name = member.value.symbol_of("umasks"); !name.empty())
      masks = source.find(name) != nullptr ? &source.find(name)->value : nullptr;
    std::string lines;
    std::size_t count = 0;
    for (std::size_t i = 0; masks != nullptr && i < masks->members.size(); ++i) {
      const CValue& mask = masks->members[i].value;
      if (mask.text_of("uname").empty() && mask.text_of("name").empty()) continue;
      lines += mask_line(mask, layout);
      ++count;
    }
    text += event_line(member.value, layout, count) + lines;
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

Pfm4Importer::Cells Pfm4Importer::pmu_cells(const CSource& source, const CSource::Object& object) {
  const CValue& pmu = object.value;
  const std::string name = pmu.text_of("name");
  const auto known = known_.find(name);
  Cells cells = known != known_.end() ? known->second : Cells(kPmuColumns);
  // What a machine lists itself is no table of libpfm4's.
  if (std::ranges::count(split(cells[kPmuFlags], ' '), "live") != 0) return cells;
  cells[kLayout] = layout_of_encoder(pmu.symbol_of("get_event_encoding[0]"));
  if (known == known_.end()) {
    cells[kCpu] = cpus_of(source, pmu);
    report_.notes.push_back(fmt::format("{} is new, its codes are those of '{}', its CPUs are {}",
                                        name, cells[kLayout],
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
  std::string flags = words_of_bits(pmu.number_of("flags"), kCommonFlags);
  for (const std::string_view word : split(cells[kPmuFlags], ' '))
    if (!word.empty() && std::ranges::count(kCommonFlags, word) == 0)
      flags += (flags.empty() ? "" : " ") + std::string(word);
  cells[kPmuFlags] = flags;
  if (pmu.number_of("pmu_rev") != 0) cells[kRevision] = optional_decimal(pmu.number_of("pmu_rev"));
  if (const std::string perf = pmu.text_of("perf_name"); !perf.empty()) cells[kPerf] = perf;
  return cells;
}

void Pfm4Importer::add_pmu(const CSource& source, const CSource::Object& object) {
  Cells cells = pmu_cells(source, object);
  // The kernel's generic events are no table of libpfm4's: its functions add them.
  if (cells[kLayout] != "generic" && cells[kLayout] != "raw" && !tables_.contains(cells[kTable]) &&
      !cells[kTable].empty())
    add_table(source, object.value.symbol_of("pe"), cells[kLayout]);
  rows_.insert_or_assign(object.name, std::move(cells));
  ++report_.pmus;
}

/// Returns the number of lines that one text has and the other has not.
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

/// Returns pmus.csv: the known rows in their order, and new ones after those that libpfm4 has
/// before them. Rows that the sources lack are kept.
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
