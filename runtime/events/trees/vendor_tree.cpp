#include "events/trees/vendor_tree.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/read_file.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/trees/json.hpp"
#include "events/trees/tree.hpp"

namespace evname::trees {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxPmuLevel = 3;  // directories between pmu/ and a file

/// The facts in front of the events of a file.
struct Head {
  std::string product, architecture, date;
  std::uint32_t implementer = 0, part = 0;
  std::uint64_t major = 0, minor = 0;
  bool telemetry = false;
};

/// The value of the first member of that name, as written, without its quotes.
std::string_view member(std::string_view head, std::string_view name) {
  const std::string key = fmt::format("\"{}\":", name);
  const auto at = head.find(key);
  if (at == std::string_view::npos) return {};
  std::string_view rest = trim(head.substr(at + key.size()));
  rest = rest.substr(0, rest.find_first_of(",\n}"));
  if (rest.starts_with('"')) rest = rest.substr(1, rest.find('"', 1) - 1);
  return trim(rest);
}

/// "2024-02-08" of "Thu Feb  8 21:07:02 2024" and of "09 Sep 13:13:53 2025"; "" of anything else.
std::string iso_date(std::string_view text) {
  constexpr std::string_view kMonths = "JanFebMarAprMayJunJulAugSepOctNovDec";
  std::uint64_t day = 0, month = 0, year = 0;
  for (const std::string_view word : split(text, ' ')) {
    const auto number = parse_decimal(word);
    const auto at = word.size() == 3 ? kMonths.find(word) : std::string_view::npos;
    if (number)
      (*number > 31 ? year : day) = *number;
    else if (at != std::string_view::npos)
      month = at / 3 + 1;
  }
  if (day == 0 || month == 0 || year == 0) return {};
  return fmt::format("{:04}-{:02}-{:02}", year, month, day);
}

std::optional<Head> read_head_of(const std::string& path) {
  const auto text = evname::read_head(path);
  if (!text) return std::nullopt;
  const std::string_view head = std::string_view(*text).substr(0, text->find("\"events\""));
  Head out;
  out.telemetry = !member(head, "part_num").empty();
  out.product = member(head, out.telemetry ? "product_name" : "cpu");
  out.architecture = member(head, "architecture");
  out.date = iso_date(member(head, "timestamp"));
  if (out.telemetry) {
    out.implementer =
        static_cast<std::uint32_t>(parse_number(member(head, "implementer")).value_or(0));
    out.part = static_cast<std::uint32_t>(parse_number(member(head, "part_num")).value_or(0));
    out.major = parse_decimal(member(head, "major_revision")).value_or(0);
    out.minor = parse_decimal(member(head, "minor_revision")).value_or(0);
  } else {
    const std::uint64_t cpuid = parse_number(member(head, "cpuid")).value_or(0);
    out.implementer = static_cast<std::uint32_t>(cpuid >> 12);
    out.part = static_cast<std::uint32_t>(cpuid & 0xfff);
  }
  const bool known = out.implementer != 0 && out.implementer <= 0xff && out.part != 0 &&
                     out.part <= 0xfff && !out.product.empty();
  return known ? std::optional(out) : std::nullopt;
}

/// Architectures 6 and 7, and version 8 without a 64-bit state: Cortex-A32 and -R52.
bool is_32_bit(const Head& head) {
  constexpr std::string_view kOnly32[] = {"Cortex-A32", "Cortex-R52"};
  return head.architecture.starts_with("armv6") || head.architecture.starts_with("armv7") ||
         std::ranges::find(kOnly32, head.product) != std::end(kOnly32);
}

/// "neoverse-n1" of "Neoverse N1".
std::string directory_name(const std::string& product) {
  std::string out = to_lower(product);
  std::replace(out.begin(), out.end(), ' ', '-');
  return out;
}

std::string source_of(const Head& head) {
  const std::string of_date = head.date.empty() ? "" : " " + head.date;
  if (!head.telemetry) return fmt::format("Arm data {}{}", head.product, of_date);
  return fmt::format("Arm telemetry {} r{}p{}{}", head.product, head.major, head.minor, of_date);
}

void find_files(const std::string& directory, int level, Walk& walk,
                std::vector<std::string>& out) {
  Walk::Listing found = walk.list(directory);
  std::ranges::move(found.files, std::back_inserter(out));
  if (level == kMaxPmuLevel) return;
  for (const std::string& child : found.directories) find_files(child, level + 1, walk, out);
}

/// Its pmu/ directory; "" if the tree is not Arm's.
std::string pmu_directory(const std::string& root) {
  std::error_code ignored;
  const fs::path path(root);
  if (fs::is_regular_file(path / "cpus.json", ignored) && fs::is_directory(path / "pmu", ignored))
    return path / "pmu";
  for (const char* cpus : {"pmu/cpu", "data/pmu/cpu"})
    if (fs::is_directory(path / cpus, ignored)) return path / cpus;
  return {};
}

void add_model(const Head& head, const std::string& path, ArchDir& arch) {
  const bool wide = arch.arch == "arm64";
  ModelDir model;
  model.name = (wide ? "arm/" : "") + directory_name(head.product);
  model.files.push_back(path);
  model.vendor = true;
  model.source = source_of(head);
  const std::uint32_t midr = head.implementer << 24 | 0xfu << 16 | head.part << 4;
  arch.map_rows.push_back(
      {fmt::format("{:#018x}", midr), head.date, model.name, "core", {}, Place{}});
  arch.models.push_back(std::move(model));
}

/// Finds the models of Arm's tree under the kernel's names ("arm/neoverse-n1"), and a row for each
/// CPU's MIDR; none if `root` has another form. If a CPU has several files, the latest revision
/// counts.
std::vector<ArchDir> find_arm_tree(const std::string& root) {
  const std::string directory = pmu_directory(root);
  if (directory.empty()) return {};
  std::vector<std::string> files;
  Walk walk;
  find_files(directory, 0, walk, files);
  std::map<std::string, std::pair<Head, std::string>> newest;  // by product
  for (const std::string& path : files) {
    const auto head = read_head_of(path);
    if (!head) continue;
    auto& [known, file] = newest[head->product];
    if (file.empty() || std::tie(head->major, head->minor) >= std::tie(known.major, known.minor))
      std::tie(known, file) = std::tuple(*head, path);
  }
  std::vector<ArchDir> out;
  for (const bool narrow : {true, false}) {
    ArchDir arch;
    arch.arch = narrow ? "arm" : "arm64";
    arch.path = root;
    for (const auto& [product, file] : newest)
      if (is_32_bit(file.first) == narrow) add_model(file.first, file.second, arch);
    sort_stably_by(arch.models, &ModelDir::name);
    if (!arch.models.empty()) out.push_back(std::move(arch));
  }
  return out;
}

/// Moves an event's name and code to the kernel's keys. Returns false if it is not Arm's.
bool arm_to_kernel_form(Object& object, JsonFile& file) {
  const Field* code = object.find("code");
  if (code == nullptr && object.find("description") == nullptr) return false;
  const auto number = code == nullptr ? std::nullopt : parse_number(code->value);
  std::string_view name = object.get("EventName");
  if (name.empty()) name = object.get("name");
  object.fields.clear();
  if (!number || name.empty()) return true;  // of a trace unit, or without a public code
  object.fields.push_back({"EventName", name, object.place});
  object.fields.push_back(
      {"EventCode", file.added.emplace_back(fmt::format("{:#x}", *number)), object.place});
  return true;
}

namespace fs = std::filesystem;

struct RoleRow {
  std::string_view role, unit;
};
constexpr RoleRow kRoles[] = {
    {"Core", "cpu_core"}, {"Atom", "cpu_atom"}, {"LowPower_Atom", "cpu_lowpower"}};

std::string_view unit_of_role(std::string_view role) {
  for (const RoleRow& row : kRoles)
    if (row.role == role) return row.unit;
  return {};
}

/// "skylakex" of "/SKX/events/skylakex_uncore_experimental.json".
std::string model_of(const std::string& file) {
  const std::string name = fs::path(file).stem();
  return to_lower(name.substr(0, name.find('_')));
}

/// Returns the path of a row's file inside `root`; "" if it would be elsewhere.
std::string path_in(const std::string& root, const std::string& file) {
  const fs::path relative = fs::path(file).relative_path().lexically_normal();
  if (relative.empty() || *relative.begin() == "..") return {};
  return (fs::path(root) / relative).string();
}

/// Returns true for files of metrics and of latencies, which have no events.
bool has_no_events(const MapfileRow& row) {
  const std::string type = to_lower(row.type);
  return type.find("metric") != std::string::npos || type == "retire latency";
}

/// "Intel perfmon GNR 1.20" of the row V1.20,/GNR/events/graniterapids_core.json.
std::string source_of(const MapfileRow& row) {
  const fs::path file = fs::path(row.directory).relative_path();
  std::string_view version = row.version;
  if (version.starts_with('V') || version.starts_with('v')) version.remove_prefix(1);
  return fmt::format("Intel perfmon {} {}", file.begin()->string(), version);
}

/// Finds the rows of CPUs with several kinds of cores. If one file serves such CPUs and CPUs with
/// only one of these kinds, the latter get their own model, as in the kernel's tree: alderlake and
/// alderlaken.
struct Hybrids {
  std::set<std::string> patterns, models;

  explicit Hybrids(const std::vector<MapfileRow>& rows) {
    for (const MapfileRow& row : rows)
      if (!has_no_events(row) && !unit_of_role(row.role).empty()) {
        patterns.insert(row.pattern);
        models.insert(model_of(row.directory));
      }
  }
  std::string name_of(const MapfileRow& row) const {
    const std::string model = model_of(row.directory);
    return models.contains(model) && !patterns.contains(row.pattern) ? model + "n" : model;
  }
};

ModelDir& model_in(ArchDir& arch, const std::string& name) {
  for (ModelDir& model : arch.models)
    if (model.name == name) return model;
  arch.models.push_back({name, false, {}, true, {}, {}});
  return arch.models.back();
}

void add_row(const std::string& root, const MapfileRow& row, const std::string& name, ArchDir& arch,
             Diagnostics& diagnostics) {
  const std::string path = path_in(root, row.directory);
  std::error_code ignored;
  if (path.empty() || !fs::is_regular_file(path, ignored)) {
    diagnostics.report(Severity::warning, row.place, "", row.directory,
                       "the row is dropped: no such file in the tree");
    return;
  }
  ModelDir& model = model_in(arch, name);
  if (!has_no_events(row) || model.source.empty()) model.source = source_of(row);
  if (std::find(model.files.begin(), model.files.end(), path) == model.files.end())
    model.files.push_back(path);
  if (const auto unit = unit_of_role(row.role); !unit.empty()) model.units[path] = unit;
  const bool known = std::any_of(arch.map_rows.begin(), arch.map_rows.end(), [&](const auto& old) {
    return old.pattern == row.pattern && old.directory == model.name;
  });
  if (!known)
    arch.map_rows.push_back({row.pattern, row.version, model.name, "core", {}, row.place});
}

void set(Object& object, std::string_view key, std::string_view value) {
  object.fields.push_back({key, value, object.place, false});
}

/// "_0" of "UNC_MC0_RDCAS_COUNT_FREERUN": the memory controller has a PMU for each.
std::string controller_of(std::string_view event) {
  const auto at = event.find("_MC");
  const bool numbered = at != std::string_view::npos && at + 4 < event.size() &&
                        event[at + 3] >= '0' && event[at + 3] <= '9' && event[at + 4] == '_';
  return numbered ? fmt::format("_{}", event[at + 3]) : std::string();
}

struct ClockRow {
  std::string_view model, unit;
};
/// The PMU that counts the uncore's clock, in the unit that Intel calls NCU.
constexpr ClockRow kClocks[] = {
    {"haswell", "cbox_0"},  {"broadwell", "cbox_0"}, {"skylake", "cbox_0"},
    {"icelake", "CLOCK"},   {"rocketlake", "CLOCK"}, {"tigerlake", "CLOCK"},
    {"alderlake", "CLOCK"}, {"alderlaken", "CLOCK"}, {"meteorlake", "CNCU"},
    {"arrowlake", "CNCU"},
};

std::string_view unit_of_clock(std::string_view model) {
  for (const ClockRow& row : kClocks)
    if (row.model == model) return row.unit;
  return "CNCU";
}

bool is_free_running(const Object& object) {
  return !object.get("Unit").empty() &&
         to_lower(object.get("Counter")).find("freerun") != std::string::npos;
}

/// Sets the codes of free-running counters: files state only their number, the kernel defines the
/// code.
bool is_without_code(const Object& object) {
  return !is_free_running(object) && to_lower(object.get("CounterType")) == "freerun";
}

/// The kernel's code of an uncore unit's fixed counter.
bool is_fixed_of_uncore(const Object& object) {
  const std::string_view unit = object.get("Unit");
  return !unit.empty() && !unit.starts_with("cpu_") && to_lower(object.get("Counter")) == "fixed";
}

}  // namespace

bool is_term_list(std::string_view filter) {
  return filter.find('=') != std::string_view::npos && filter.find(':') == std::string_view::npos;
}

std::optional<ArchDir> find_vendor_tree(const std::string& root, Diagnostics& diagnostics) {
  const std::string mapfile = root + "/mapfile.csv";
  std::error_code ignored;
  if (!fs::is_regular_file(mapfile, ignored)) return std::nullopt;
  Diagnostics found;
  const auto rows = read_mapfile(mapfile, found);
  const bool leads_to_files = std::any_of(rows.begin(), rows.end(), [](const MapfileRow& row) {
    return row.directory.ends_with(".json");
  });
  if (!leads_to_files) return std::nullopt;
  ArchDir arch;
  arch.arch = "x86";
  arch.path = root;
  const Hybrids hybrids(rows);
  for (const MapfileRow& row : rows) add_row(root, row, hybrids.name_of(row), arch, found);
  sort_stably_by(arch.models, &ModelDir::name);
  const std::uint32_t base = diagnostics.adopt(std::move(found));
  for (MapfileRow& row : arch.map_rows) row.place.file += base;
  return arch;
}

std::vector<ArchDir> find_trees(const std::string& root, Diagnostics& diagnostics) {
  if (auto vendor = find_vendor_tree(root, diagnostics)) return {std::move(*vendor)};
  if (auto arm = find_arm_tree(root); !arm.empty()) return arm;
  return find_architectures(root);
}

void to_kernel_form(const ModelDir& model, const std::string& path, Object& object,
                    JsonFile& file) {
  const std::string unit = model.unit_of(path);
  const auto keep = [&](std::string text) -> std::string_view {
    return file.added.emplace_back(std::move(text));
  };
  if (arm_to_kernel_form(object, file)) return;
  if (is_without_code(object)) return object.fields.clear();
  if (!unit.empty() && object.get("Unit").empty()) set(object, "Unit", keep(unit));
  if (!object.get("Filter").empty() && !is_term_list(object.get("Filter")))
    set(object, "Filter", "");
  if (is_fixed_of_uncore(object)) {
    set(object, "EventCode", "0xff");
    set(object, "UMask", "");
  }
  if (object.get("Unit") == "NCU") set(object, "Unit", unit_of_clock(model.name));
  if (!is_free_running(object)) return;
  set(object, "Unit",
      keep(fmt::format("{}_free_running{}", object.get("Unit"),
                       controller_of(object.get("EventName")))));
  set(object, "EventCode", "0xff");
}

}  // namespace evname::trees
