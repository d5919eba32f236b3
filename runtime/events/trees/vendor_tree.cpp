#include "events/trees/vendor_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/text.hpp"
#include "events/trees/arm_tree.hpp"

namespace evname::trees {
namespace {

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

/// Where a row's file is, inside of `root`; "" if it would be elsewhere.
std::string path_in(const std::string& root, const std::string& file) {
  const fs::path relative = fs::path(file).relative_path().lexically_normal();
  if (relative.empty() || *relative.begin() == "..") return {};
  return (fs::path(root) / relative).string();
}

/// Of metrics and of what perf records of latencies; not of events.
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

/// Which rows are of CPUs with several kinds of cores. Where one file serves such CPUs and others
/// that have only one of these kinds, the others are a model of their own, as in the kernel's tree:
/// alderlake and alderlaken.
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
  model.source = source_of(row);
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

/// Vendors state "0", "null" or "na" where the kernel's files say nothing.
void remove_blanks(Object& object) {
  constexpr std::string_view kMarks[] = {"Data_LA", "Errata", "PEBS", "Deprecated", "Filter"};
  std::erase_if(object.fields, [&](const Field& field) {
    const std::string low = to_lower(field.value);
    return std::ranges::find(kMarks, field.key) != std::end(kMarks) &&
           (low == "0" || low == "null" || low == "na" || low.empty());
  });
}

struct ClockRow {
  std::string_view model, unit;
};
/// Which PMU counts the uncore's clock, of the unit that is NCU to Intel.
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

/// Of some free-running counters only the number is stated: the kernel alone gives them codes.
bool is_without_code(const Object& object) {
  return !is_free_running(object) && to_lower(object.get("CounterType")) == "freerun";
}

/// The kernel's code of what an uncore unit's fixed counter counts.
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
  for (const MapfileRow& row : rows)
    if (!has_no_events(row)) add_row(root, row, hybrids.name_of(row), arch, found);
  std::sort(arch.models.begin(), arch.models.end(),
            [](const ModelDir& a, const ModelDir& b) { return a.name < b.name; });
  const std::uint32_t base = diagnostics.adopt(std::move(found));
  for (MapfileRow& row : arch.map_rows) row.place.file += base;
  return arch;
}

std::vector<ArchDir> find_trees(const std::string& root, Diagnostics& diagnostics) {
  if (auto vendor = find_vendor_tree(root, diagnostics)) return {std::move(*vendor)};
  if (auto arm = find_arm_tree(root); !arm.empty()) return arm;
  return find_architectures(root);
}

void to_kernel_form(const ModelDir& model, const std::string& path, JsonFile& file) {
  const std::string unit = model.unit_of(path);
  const auto keep = [&](std::string text) -> std::string_view {
    return file.added.emplace_back(std::move(text));
  };
  for (Object& object : file.objects) {
    if (arm_to_kernel_form(object, file)) continue;
    remove_blanks(object);
    if (is_without_code(object)) {
      object.fields.clear();
      continue;
    }
    if (!unit.empty() && object.get("Unit").empty()) set(object, "Unit", keep(unit));
    if (!object.get("Filter").empty() && !is_term_list(object.get("Filter")))
      set(object, "Filter", "");
    if (is_fixed_of_uncore(object)) {
      set(object, "EventCode", "0xff");
      set(object, "UMask", "");
    }
    if (object.get("Unit") == "NCU") set(object, "Unit", unit_of_clock(model.name));
    if (!is_free_running(object)) continue;
    set(object, "Unit",
        keep(fmt::format("{}_free_running{}", object.get("Unit"),
                         controller_of(object.get("EventName")))));
    set(object, "EventCode", "0xff");
  }
}

}  // namespace evname::trees
