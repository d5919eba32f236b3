#include "events/compiler/collect_facts.hpp"

#include <fmt/format.h>
#include <tsl/robin_map.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include "base/glob.hpp"
#include "base/regex.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "base/text_pool.hpp"
#include "events/tables/legacy_words.hpp"
#include "events/trees/tree.hpp"

namespace evname::compiler {
namespace {

using tables::FactScope;
using tables::Text;

constexpr std::string_view kModelsColumn = "Models";

/// A row of a fact file, its cells by the heading's words.
class Row {
 public:
  Row(const std::vector<std::string>& heading, const trees::CsvRow& row)
      : heading_(heading), row_(row) {}

  trees::Place place() const { return row_.place; }
  /// Returns the cell of a column; "" if the file has no such column.
  std::string_view operator[](std::string_view column) const {
    const auto at = std::find(heading_.begin(), heading_.end(), column);
    return at == heading_.end() ? "" : trim(row_.cells[std::size_t(at - heading_.begin())]);
  }
  std::span<const std::string> columns() const { return heading_; }

 private:
  const std::vector<std::string>& heading_;
  const trees::CsvRow& row_;
};

/// Returns the bits of "0-7,32-35"; nullopt unless each range is of 64 bits and of bits that no
/// earlier one has.
std::optional<std::uint64_t> bits_of(std::string_view ranges) {
  std::uint64_t mask = 0;
  for (const std::string_view range : split(ranges, ',')) {
    const std::size_t dash = range.find('-');
    const auto first = parse_decimal(range.substr(0, dash));
    const auto last = dash == range.npos ? first : parse_decimal(range.substr(dash + 1));
    if (!first || !last || *first > *last || *last > 63) return std::nullopt;
    for (std::uint64_t bit = *first; bit <= *last; ++bit) {
      if (mask >> bit & 1) return std::nullopt;
      mask |= std::uint64_t{1} << bit;
    }
  }
  return mask;
}

/// Returns the field of "config1:0-7"; its name is left to the caller.
std::optional<tables::FormatField> field_of(std::string_view text) {
  constexpr std::string_view kConfig = "config";
  constexpr std::uint64_t kLastWord = 4;
  const std::size_t colon = text.find(':');
  if (!text.starts_with(kConfig) || colon == text.npos) return std::nullopt;
  const std::string_view number = text.substr(kConfig.size(), colon - kConfig.size());
  const auto word = number.empty() ? std::optional<std::uint64_t>(0) : parse_decimal(number);
  const auto mask = bits_of(text.substr(colon + 1));
  if (!word || *word > kLastWord || !mask) return std::nullopt;
  return tables::FormatField{0, static_cast<std::uint32_t>(*word), *mask};
}

class FactCollector {
 public:
  explicit FactCollector(trees::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void add_directory(const trees::ArchDir& dir);
  void warn_of_unknown_pmus();
  tables::FactArrays take() { return std::move(arrays_); }

  void add_pmu(const Row& row);
  void add_unit(const Row& row);
  void add_pmu_event(const Row& row);
  void add_former_scale(const Row& row);
  void add_description(const Row& row);
  void add_counters(const Row& row);
  void add_slots(const Row& row);
  void add_cleared(const Row& row);
  void add_generic_events(const Row& row);
  void add_names(const Row& row);
  void add_product(const Row& row);

 private:
  /// A row about PMUs that pmus.csv must describe.
  struct Mention {
    Text pmus, arch;
    trees::Place place;
  };

  void error(const Row& row, std::string_view column, std::string message) {
    diagnostics_.report(trees::Severity::error, row.place(), "", column, std::move(message));
  }
  void warning(const Row& row, std::string_view column, std::string message) {
    diagnostics_.report(trees::Severity::warning, row.place(), "", column, std::move(message));
  }
  Text text(std::string_view text) { return texts_.add(text); }
  FactScope scope_of(const Row& row);
  void warn_of_unknown_models(const Row& row, std::string_view column, std::string_view globs);
  std::uint32_t add_fields(std::vector<tables::FormatField> fields);
  std::optional<std::uint16_t> number_in(const Row& row, std::string_view column);
  bool is_described(const Mention& mention, std::string_view pmu) const;

  trees::Diagnostics& diagnostics_;
  tables::FactArrays arrays_;
  UniqueTexts texts_{arrays_.strings};
  tsl::robin_map<std::string, std::uint32_t> field_runs_;  ///< by their bytes
  std::vector<Mention> mentions_;
  const trees::ArchDir* dir_ = nullptr;  ///< that is read
};

struct FactFile {
  std::string_view name, heading;
  void (FactCollector::*add)(const Row& row);
  std::string_view older_heading = {};  ///< without a later column
};
constexpr FactFile kFactFiles[] = {
    {"pmus.csv", "PMU,CPUID,Models,Kind,Type,Format,Source", &FactCollector::add_pmu},
    {"units.csv", "Unit,PMU,Models,Source", &FactCollector::add_unit},
    {"pmu-events.csv", "PMU,CPUID,Models,Event,Terms,Scale,Unit,Source",
     &FactCollector::add_pmu_event},
    {"former-scales.csv", "PMU,Models,Event,Scale,Unit,Source", &FactCollector::add_former_scale},
    {"event-descriptions.csv", "PMU,Event,Description,Source", &FactCollector::add_description},
    {"counters.csv", "PMU,CPUID,Models,Generic,Fixed,One thread,Paired event,Source",
     &FactCollector::add_counters, "PMU,CPUID,Models,Generic,Fixed,One thread,Source"},
    {"cleared-bits.csv", "PMU,CPUID,Models,Bits,Source", &FactCollector::add_cleared},
    {"slots.csv", "CPUID,Models,Slots,Source", &FactCollector::add_slots},
    {"generic-events.csv",
     "CPUID,Models,cycles,instructions,cache-references,cache-misses,branches,branch-misses,"
     "bus-cycles,stalled-cycles-frontend,stalled-cycles-backend,ref-cycles,Source",
     &FactCollector::add_generic_events},
    {"names.csv", "Model,CPUID,Short names,Code names,PMU names,Source", &FactCollector::add_names},
    {"products.csv", "Products,Model,CPUID,Note,Source", &FactCollector::add_product},
};

std::string path_of(const FactFile& file, const std::string& directory) {
  return directory + "/" + std::string(file.name);
}

/// Returns true also if it is not a regular file; reading reports that.
bool is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::symlink_status(path, ignored).type() !=
         std::filesystem::file_type::not_found;
}

void FactCollector::warn_of_unknown_models(const Row& row, std::string_view column,
                                           std::string_view globs) {
  if (globs.empty()) return;
  for (const std::string_view glob : split(globs, '|'))
    if (std::ranges::none_of(dir_->models, [&](const auto& m) { return glob_match(glob, m.name); }))
      warning(row, column, fmt::format("there is no model {}", glob));
}

FactScope FactCollector::scope_of(const Row& row) {
  FactScope scope{};
  if (dir_->arch != tables::kCommonName) scope.arch = text(dir_->arch);
  scope.pmus = text(row["PMU"]);
  scope.cpuids = text(row["CPUID"]);
  scope.models = text(row[kModelsColumn]);
  warn_of_unknown_models(row, kModelsColumn, row[kModelsColumn]);
  return scope;
}

std::optional<std::uint16_t> FactCollector::number_in(const Row& row, std::string_view column) {
  const std::string_view cell = row[column];
  if (cell.empty()) return std::uint16_t{0};
  const auto number = parse_decimal(cell);
  if (number && *number <= std::numeric_limits<std::uint16_t>::max())
    return static_cast<std::uint16_t>(*number);
  error(row, column, fmt::format("'{}' is not a number of counters", cell));
  return std::nullopt;
}

std::uint32_t FactCollector::add_fields(std::vector<tables::FormatField> fields) {
  sort_stably(fields, [&](const auto& a, const auto& b) {
    return std::string_view(arrays_.strings.data() + a.name) < arrays_.strings.data() + b.name;
  });
  std::string key(reinterpret_cast<const char*>(fields.data()),
                  fields.size() * sizeof(tables::FormatField));
  const auto [at, is_new] =
      field_runs_.try_emplace(std::move(key), static_cast<std::uint32_t>(arrays_.fields.size()));
  if (is_new) arrays_.fields.insert(arrays_.fields.end(), fields.begin(), fields.end());
  return at->second;
}

void FactCollector::add_pmu(const Row& row) {
  constexpr std::string_view kKinds[] = {"core", "maker-core", "uncore", "other",
                                         "none"};  // of enum PmuKind
  tables::PmuFact pmu{};
  const auto kind = std::ranges::find(kKinds, row["Kind"]);
  if (kind == std::end(kKinds))
    return error(row, "Kind", "neither core, maker-core, uncore, other nor none");
  pmu.kind = static_cast<tables::PmuKind>(kind - std::begin(kKinds));
  const auto type = row["Type"].empty() ? tables::kTypeOfBoot : parse_decimal(row["Type"]);
  if (!type || *type > tables::kTypeOfBoot) return error(row, "Type", "not a number of a PMU");
  pmu.type = static_cast<std::uint8_t>(*type);
  if (row["PMU"].empty()) return error(row, "PMU", "missing");
  std::vector<tables::FormatField> fields;
  for (const std::string_view word : split(row["Format"], ' ')) {
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    auto field = equals == word.npos ? std::nullopt : field_of(word.substr(equals + 1));
    if (!field || equals == 0)
      return error(row, "Format", fmt::format("'{}' is not of the form NAME=configN:A-B", word));
    field->name = text(word.substr(0, equals));
    fields.push_back(*field);
  }
  if (fields.size() > std::numeric_limits<std::uint16_t>::max())
    return error(row, "Format", "too many fields");
  pmu.scope = scope_of(row);
  pmu.field_count = static_cast<std::uint16_t>(fields.size());
  pmu.first_field = add_fields(std::move(fields));
  arrays_.pmus.push_back(pmu);
}

void FactCollector::add_unit(const Row& row) {
  if (row["Unit"].empty() || row["PMU"].empty()) return error(row, "Unit", "missing, or PMU");
  arrays_.units.push_back({scope_of(row), text(row["Unit"])});
}

void FactCollector::add_pmu_event(const Row& row) {
  if (row["Event"].empty() || row["Terms"].empty()) return error(row, "Event", "missing, or Terms");
  const FactScope scope = scope_of(row);
  const auto scale = row["Scale"].empty() ? 1.0 : parse_double(row["Scale"]);
  if (!scale) return error(row, "Scale", fmt::format("'{}' is not a number", row["Scale"]));
  if (arrays_.event_facts.empty() || arrays_.event_facts.back().scope != scope) {
    arrays_.event_facts.push_back(
        {scope, static_cast<std::uint32_t>(arrays_.pmu_events.size()), 0});
    mentions_.push_back({scope.pmus, scope.arch, row.place()});
  }
  arrays_.pmu_events.push_back({text(row["Event"]), text(row["Terms"]), text(row["Unit"]), *scale});
  ++arrays_.event_facts.back().event_count;
}

void FactCollector::add_former_scale(const Row& row) {
  const auto scale = parse_double(row["Scale"]);
  if (!scale || *scale <= 0)
    return error(row, "Scale", fmt::format("'{}' is not a positive number", row["Scale"]));
  if (row["Event"].empty() || row["Unit"].empty()) return error(row, "Event", "missing, or Unit");
  const FactScope scope = scope_of(row);
  arrays_.former_scales.push_back({scope, text(row["Event"]), text(row["Unit"]), *scale});
  if (scope.pmus != 0) mentions_.push_back({scope.pmus, scope.arch, row.place()});
}

void FactCollector::add_description(const Row& row) {
  if (row["Event"].empty() || row["Description"].empty())
    return error(row, "Event", "missing, or Description");
  const FactScope scope = scope_of(row);
  arrays_.event_texts.push_back({scope, text(row["Event"]), text(row["Description"])});
  if (scope.pmus != 0) mentions_.push_back({scope.pmus, scope.arch, row.place()});
}

void FactCollector::add_counters(const Row& row) {
  tables::CounterFact counters{};
  counters.each = row["Generic"] == "each";
  const auto generic = counters.each ? std::uint16_t{0} : number_in(row, "Generic");
  const auto fixed = number_in(row, "Fixed"), one_thread = number_in(row, "One thread");
  if (!generic || !fixed || !one_thread) return;
  const std::string_view paired = row["Paired event"];
  const auto event = paired.empty() ? std::optional<std::uint64_t>(0) : parse_number(paired);
  if (!event || *event > std::numeric_limits<std::uint16_t>::max())
    return error(row, "Paired event", fmt::format("'{}' is not the number of an event", paired));
  counters.scope = scope_of(row);
  counters.generic = *generic;
  counters.fixed = *fixed;
  counters.one_thread = *one_thread;
  counters.paired_event = static_cast<std::uint16_t>(*event);
  arrays_.counters.push_back(counters);
  mentions_.push_back({counters.scope.pmus, counters.scope.arch, row.place()});
}

void FactCollector::add_slots(const Row& row) {
  constexpr std::uint64_t kMost = 255;  // bits 7:0 of PMMIR_EL1
  const auto slots = parse_decimal(row["Slots"]);
  if (!slots || *slots == 0 || *slots > kMost)
    return error(row, "Slots", fmt::format("'{}' is not a number of slots", row["Slots"]));
  arrays_.slots.push_back({scope_of(row), static_cast<std::uint32_t>(*slots)});
}

void FactCollector::add_cleared(const Row& row) {
  const auto bits = bits_of(row["Bits"]);
  if (!bits) return error(row, "Bits", fmt::format("'{}' is not of the form A-B,C", row["Bits"]));
  arrays_.cleared_facts.push_back({scope_of(row), *bits});
  mentions_.push_back({arrays_.cleared_facts.back().scope.pmus,
                       arrays_.cleared_facts.back().scope.arch, row.place()});
}

void FactCollector::add_generic_events(const Row& row) {
  tables::GenericFact fact{};
  fact.first_code = static_cast<std::uint32_t>(arrays_.generic_codes.size());
  for (std::uint32_t event = 0; event < std::size(tables::kHardwareEvents); ++event) {
    const std::string_view cell = row[tables::kHardwareEvents[event]];
    if (cell.empty()) continue;
    for (const std::string_view word : split(cell, '|')) {
      const auto code = parse_number(word);
      if (!code)
        error(row, tables::kHardwareEvents[event], fmt::format("'{}' is not a number", word));
      else
        arrays_.generic_codes.push_back({*code, event, 0});
    }
  }
  fact.code_count = static_cast<std::uint32_t>(arrays_.generic_codes.size()) - fact.first_code;
  fact.scope = scope_of(row);
  arrays_.generic_facts.push_back(fact);
}

void FactCollector::add_names(const Row& row) {
  constexpr std::pair<std::string_view, tables::NameKind> kColumns[] = {
      {"Short names", tables::NameKind::short_name},
      {"Code names", tables::NameKind::code_name},
      {"PMU names", tables::NameKind::pmu_name}};
  warn_of_unknown_models(row, "Model", row["Model"]);
  for (const auto& [column, kind] : kColumns) {
    if (row[column].empty()) continue;
    for (const std::string_view name : split(row[column], '|'))
      arrays_.names.push_back({text(name), text(row["Model"]), text(row["CPUID"]), kind});
  }
}

void FactCollector::add_product(const Row& row) {
  if (row["Products"].empty() || !Regex::compile(row["Products"]))
    return error(row, "Products",
                 fmt::format("'{}' is not an extended regular expression", row["Products"]));
  if (row["Model"].empty() && row["Note"].empty()) return error(row, "Note", "missing, or Model");
  warn_of_unknown_models(row, "Model", row["Model"]);
  arrays_.products.push_back(
      {text(row["Products"]), text(row["Model"]), text(row["CPUID"]), text(row["Note"])});
}

void FactCollector::add_directory(const trees::ArchDir& dir) {
  dir_ = &dir;
  for (const FactFile& file : kFactFiles) {
    const std::string path = path_of(file, dir.path);
    if (!is_there(path)) continue;
    const auto rows = trees::read_csv(path, diagnostics_);
    if (rows.empty()) continue;
    const std::string heading = joined(rows[0].cells, ",");
    if (heading != file.heading && (heading != file.older_heading || heading.empty())) {
      diagnostics_.report(trees::Severity::error, rows[0].place, "", "",
                          fmt::format("the heading has to be {}", file.heading));
      continue;
    }
    for (const trees::CsvRow& cells : std::span(rows).subspan(1)) {
      const Row row(rows[0].cells, cells);
      if (cells.cells.size() != rows[0].cells.size()) {
        error(row, "",
              fmt::format("{} cells below {} columns", cells.cells.size(), rows[0].cells.size()));
        continue;
      }
      if (row["Source"].empty()) warning(row, "Source", "missing");
      (this->*file.add)(row);
    }
  }
}

bool FactCollector::is_described(const Mention& mention, std::string_view pmu) const {
  const std::string_view strings(arrays_.strings);
  const auto view = [&](Text text) { return std::string_view(strings.data() + text); };
  return std::ranges::any_of(arrays_.pmus, [&](const tables::PmuFact& row) {
    if (row.scope.arch != 0 && mention.arch != 0 && row.scope.arch != mention.arch) return false;
    for (const std::string_view name : split(view(row.scope.pmus), '|'))
      if (glob_match(pmu, name)) return true;
    return false;
  });
}

void FactCollector::warn_of_unknown_pmus() {
  for (const Mention& mention : mentions_)
    for (const std::string_view pmu :
         split(std::string_view(arrays_.strings.data() + mention.pmus), '|'))
      if (!is_described(mention, pmu))
        diagnostics_.report(trees::Severity::warning, mention.place, "", "PMU",
                            fmt::format("no row of pmus.csv is about {}", pmu));
}

}  // namespace

std::vector<std::string> fact_files(const std::string& directory) {
  std::vector<std::string> out;
  for (const FactFile& file : kFactFiles)
    if (std::string path = path_of(file, directory); is_there(path)) out.push_back(std::move(path));
  return out;
}

tables::FactArrays collect_facts(std::span<const trees::ArchDir> dirs,
                                 trees::Diagnostics& diagnostics) {
  FactCollector collector(diagnostics);
  for (const bool common : {false, true})
    for (std::size_t i = dirs.size(); i-- > 0;)
      if ((dirs[i].arch == tables::kCommonName) == common) collector.add_directory(dirs[i]);
  collector.warn_of_unknown_pmus();
  return collector.take();
}

}  // namespace evname::compiler
