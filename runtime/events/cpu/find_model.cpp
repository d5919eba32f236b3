#include "events/cpu/find_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <ranges>
#include <string>
#include <vector>

#include "base/nearest_names.hpp"
#include "base/regex.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "events/cpu/mapfile_pattern.hpp"
#include "events/tables/cpu_facts.hpp"
#include "events/tables/registry.hpp"
#include "evname/machine.hpp"

namespace evname::cpu {
namespace {

/// A row of names.csv.
struct MeantDirectory {
  std::string_view directory;  ///< "" if the name is in no row
  std::string_view cpuid;      ///< "" if the row is about all CPUs of the directory
};

/// Returns the directory of the model with another name, and the CPU.
MeantDirectory directory_of(tables::FactLayers all, tables::NameKind kind, std::string_view name) {
  const std::string wanted = bare_name(name);
  for (const tables::CpuFacts& facts : all)
    for (const tables::CpuName& row : facts.names)
      if (row.kind == kind && row.model != 0 && facts.text(row.name) == wanted)
        return {facts.text(row.model), facts.text(row.cpuids)};
  return {};
}

/// Returns the directory for a capability pmu_name if the two differ; else "". A name of client and
/// server parts means the client's events, since the core is the same.
std::string_view directory_of_capability(tables::FactLayers facts, std::string_view pmu_name) {
  return directory_of(facts, tables::NameKind::pmu_name, pmu_name).directory;
}

tables::ModelView mapped_model(const tables::ArchTables& arch, std::string_view cpuid) {
  if (cpuid.empty()) return {};
  for (const tables::MapRow& row : arch.map_rows)
    if (pattern_matches(arch.arch, arch.text(row.pattern), cpuid))
      return row.model < arch.models.size() ? tables::ModelView{arch, &arch.models[row.model]}
                                            : tables::ModelView{};
  return {};
}

/// Returns the model whose directory has the capability's name, `_` and case aside.
tables::ModelView model_of_capability(const tables::ArchTables& arch, tables::FactLayers facts,
                                      std::string_view pmu_name) {
  if (pmu_name.empty()) return {};
  const std::string_view directory = directory_of_capability(facts, pmu_name);
  const std::string wanted = bare_name(directory.empty() ? pmu_name : directory);
  for (const tables::Model& model : arch.models) {
    if (model.flags & tables::kOfNoCpu) continue;
    if (bare_name(arch.text(model.name)) == wanted) return {arch, &model};
  }
  return {};
}

tables::ModelView standard_events(const tables::ArchTables& arch) {
  for (const tables::Model& model : arch.models) {
    const auto pmus = arch.pmus.subspan(model.first_pmu, model.pmu_count);
    const bool has_events =
        std::any_of(pmus.begin(), pmus.end(), [](const auto& pmu) { return pmu.count > 0; });
    if ((model.flags & tables::kStandard) && has_events) return {arch, &model};
  }
  return {};
}

/// Returns true if the core PMU counts the common events of the architecture.
bool has_standard_events(const tables::ArchTables& arch, tables::FactLayers facts,
                         std::string_view cpuid, std::string_view pmu_name) {
  const tables::FactQuery cpu{arch.arch, pmu_name, cpuid, {}};
  const auto core = pmu_name.empty() ? tables::first_core(facts, cpu)
                                     : tables::first_row(facts, &tables::CpuFacts::pmus, cpu);
  return !core || core.row->kind != tables::PmuKind::maker_core;
}

std::string no_table(tables::FactLayers all, std::string_view cpuid) {
  if (cpuid.empty()) return "the CPU is not known";
  for (const tables::CpuFacts& facts : all)
    for (const tables::CpuName& row : facts.names)
      if (row.model == 0 && tables::matches_any(facts.text(row.cpuids), cpuid))
        return fmt::format("CPUID {} is {}, whose events are not published", cpuid,
                           facts.text(row.name));
  return fmt::format("no event table matches CPUID {}", cpuid);
}

constexpr std::size_t kLongestName = 256;

/// Returns the name in lower case, with `-` for `_`.
std::string dashed(std::string_view name) {
  std::string out = to_lower(name);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

/// The tables and facts to search for a model.
struct Searched {
  std::span<const tables::ArchTables> all;
  tables::FactLayers facts;
};

/// Returns the first model that the predicate (architecture, model) holds for.
template <class Tables, class Predicate>
tables::ModelView first_model(const Tables& all, Predicate fits) {
  for (const tables::ArchTables& arch : all)
    for (const tables::Model& model : arch.models)
      if (!(model.flags & tables::kStandard) && fits(arch, model)) return {arch, &model};
  return {};
}

NamedModel by_directory(const Searched& in, std::string_view name) {
  const std::string wanted = dashed(name);
  // The search begins at x86, the most frequent and last in the list, and so reads no page of the
  // other tables.
  return {first_model(std::views::reverse(in.all),
                      [&](const tables::ArchTables& arch, const tables::Model& model) {
                        const std::string directory = dashed(arch.text(model.name));
                        return directory == wanted ||
                               std::string(arch.arch) + "/" + directory == wanted;
                      }),
          {}};
}

/// Returns the model with this last part of its directory. System tables are skipped: they all end
/// in "sys".
tables::ModelView by_last_part(const Searched& in, std::string_view name) {
  const std::string wanted = bare_name(name);
  return first_model(in.all, [&](const tables::ArchTables& arch, const tables::Model& model) {
    return !(model.flags & tables::kSystem) &&
           bare_name(last_part(arch.text(model.name))) == wanted;
  });
}

/// Returns the model with this last part of its directory, short name or code name.
NamedModel by_cpu(const Searched& in, std::string_view name) {
  if (const auto model = by_last_part(in, name)) return {model, {}};
  for (const auto kind : {tables::NameKind::short_name, tables::NameKind::code_name})
    if (const MeantDirectory meant = directory_of(in.facts, kind, name); !meant.directory.empty())
      return {by_directory(in, meant.directory).model, meant.cpuid};
  return {};
}

/// Returns the model of an Arm core PMU by the CPU in its name, which comes from the device tree:
/// "armv8_cortex_a72" (drivers/perf/arm_pmuv3.c), "armv7_cortex_a15" (arm_v7_pmu.c), "ARMv7
/// Cortex-A15" (before Linux 3.18).
NamedModel by_arm_pmu(const Searched& in, std::string_view pmu) {
  const std::string bare = bare_name(pmu);
  for (const std::string_view version : {"armv7", "armv8", "armv9"})
    if (bare.starts_with(version)) return by_cpu(in, bare.substr(version.size()));
  return {};
}

/// Returns the model of a core PMU as the kernel calls it: "alderlake_hybrid" (the capability
/// pmu_name), or Arm's name.
NamedModel by_pmu(const Searched& in, std::string_view name) {
  if (const std::string_view directory = directory_of_capability(in.facts, name);
      !directory.empty())
    return by_directory(in, directory);
  return by_arm_pmu(in, name);
}

/// Returns the distance of a spelling. Edits count double, less one if the first letters are the
/// same; a spelling that begins with the wanted text is near, too. SIZE_MAX means that more than
/// half of it differs.
std::size_t distance(const std::string& wanted, std::string_view spelling) {
  constexpr std::size_t kSameStart = 2, kShortestStart = 3, kLongerDistance = 6;
  const std::size_t edits = edit_distance(wanted, spelling);
  const bool alike = edits > 0 && spelling.substr(0, kSameStart) == wanted.substr(0, kSameStart);
  const std::size_t near = edits <= std::max(wanted.size(), spelling.size()) / 2
                               ? 2 * edits - (alike ? 1 : 0)
                               : SIZE_MAX;
  const bool goes_on = wanted.size() >= kShortestStart && spelling.starts_with(wanted);
  return goes_on ? std::min(near, kLongerDistance) : near;
}

/// Offers `name` if one of its spellings is near the wanted name.
void offer_if_near(const std::string& wanted, std::initializer_list<std::string_view> spellings,
                   std::string_view name, NearestNames* near) {
  std::size_t nearest = SIZE_MAX;
  for (const std::string_view spelling : spellings)
    nearest = std::min(nearest, distance(wanted, spelling));
  if (nearest != SIZE_MAX) near->offer(nearest, name);
}

constexpr std::size_t kLongestProduct = 128;  // bytes beyond are not compared

/// Returns true for words that don't distinguish products: "Intel", "13th", "16-Core".
bool is_filler(std::string_view word) {
  constexpr std::string_view kFillers[] = {
      "intel",    "amd", "ibm", "nvidia",   "microsoft", "azure",  "broadcom",
      "rockchip", "cpu", "aws", "mediatek", "samsung",   "google", "processor"};
  const bool counts = !word.empty() && word[0] >= '0' && word[0] <= '9' &&
                      (word.ends_with("th") || word.ends_with("-core") || word.ends_with("-cores"));
  return counts || std::ranges::find(kFillers, word) != std::end(kFillers);
}

std::optional<Regex> pattern_of(const tables::CpuFacts& facts, const tables::CpuProduct& row) {
  return Regex::compile("^(" + std::string(facts.text(row.pattern)) + ")$");
}

/// A similar name and its distance from the text. A missing word counts less than another letter,
/// and another letter less than another digit, which is another product.
struct Guess {
  enum class By { word, letter, digit };
  std::string name, bare;
  By by;
  int distance = 0;  ///< of digits
  bool is_product = false;
};

class Guesses {
 public:
  explicit Guesses(std::string_view name) : name_(name) {
    constexpr std::size_t kLongest = 48;  // bytes of the longest name that a user would type
    if (name.size() > kLongest) return;
    add_words();
    for (std::size_t i = 0; i < name_.size(); ++i) add_letters(i);
    for (char letter = 'a'; letter <= 'z'; ++letter) add(name_ + letter, Guess::By::letter);
    for (std::size_t i = 0; i < name_.size(); ++i) add_digits(i);
    sort_stably_by(list, [](const Guess& guess) { return std::pair(guess.by, guess.distance); });
  }

  std::vector<Guess> list;

 private:
  void add(std::string name, Guess::By by, int distance = 0) {
    std::string bare = bare_product(name);
    list.push_back({std::move(name), std::move(bare), by, distance});
  }
  void add_words() {
    for (const std::string_view series :
         {"xeon ", "core ", "epyc ", "ryzen ", "threadripper ", "cortex-"}) {
      add(std::string(series) + name_, Guess::By::word);
      if (name_.starts_with(series)) add(name_.substr(series.size()), Guess::By::word);
    }
  }
  void add_letters(std::size_t i) {
    const std::string before = name_.substr(0, i), after = name_.substr(i + 1);
    add(before + after, Guess::By::letter);
    add(before + name_[i] + name_[i] + after, Guess::By::letter);
    if (!after.empty()) add(before + after[0] + name_[i] + after.substr(1), Guess::By::letter);
  }
  void add_digits(std::size_t i) {
    for (char digit = '0'; digit <= '9' && name_[i] >= '0' && name_[i] <= '9'; ++digit)
      if (digit != name_[i])
        add(name_.substr(0, i) + digit + name_.substr(i + 1), Guess::By::digit,
            std::abs(digit - name_[i]));
  }

  std::string name_;
};

}  // namespace

std::string bare_name(std::string_view name) {
  std::string out = to_lower(name);
  std::erase_if(out, [](char c) { return c == '_' || c == '-' || c == ' '; });
  return out;
}

ModelMatch match_model(const tables::ArchTables& arch, std::string_view cpuid,
                       std::string_view pmu_name, tables::FactLayers facts) {
  if (const auto model = mapped_model(arch, cpuid)) return {model, MatchedBy::cpuid, {}};
  if (const auto model = model_of_capability(arch, facts, pmu_name))
    return {model, MatchedBy::caps,
            fmt::format("{}; using the events of {}, which the PMU capability pmu_name={} means",
                        no_table(facts, cpuid), model.name(), pmu_name)};
  if (const auto model = by_arm_pmu({{&arch, 1}, facts}, pmu_name).model)
    return {model, MatchedBy::caps,
            fmt::format("{}; using the events of {}, which the name of the PMU, {}, means",
                        no_table(facts, cpuid), model.name(), pmu_name)};
  if (const auto model = standard_events(arch);
      model && has_standard_events(arch, facts, cpuid, pmu_name))
    return {model, MatchedBy::architecture,
            fmt::format("{}; using the standard events of {}", no_table(facts, cpuid), arch.arch)};
  return {{}, MatchedBy::none, no_table(facts, cpuid)};
}

ModelMatch match_model(std::string_view arch, std::string_view cpuid, std::string_view pmu_name) {
  const auto tables = tables::find_architecture(arch);
  const auto wide = arch == "arm" ? tables::find_architecture("arm64") : nullptr;
  // A 32-bit kernel may run on a 64-bit CPU.
  if (wide)
    if (auto match = match_model(*wide, cpuid, pmu_name);
        match.matched_by == MatchedBy::cpuid || match.matched_by == MatchedBy::caps)
      return match;
  if (tables) return match_model(*tables, cpuid, pmu_name);
  return {{},
          MatchedBy::none,
          arch.empty() ? std::string("the architecture is not known")
                       : fmt::format("this build has no event tables of {}", arch)};
}

NamedModel find_model(std::span<const tables::ArchTables> all, std::string_view name,
                      tables::FactLayers facts) {
  name = trim(name);
  if (name.empty() || name.size() > kLongestName) return {};
  for (const auto find : {by_directory, by_cpu, by_pmu})
    if (const NamedModel found = find({all, facts}, name)) return found;
  return {};
}

bool is_arm_cpu(std::string_view pmu) {
  return static_cast<bool>(by_arm_pmu({tables::architectures(), tables::built_in_facts()}, pmu));
}

NamedModel find_model(std::string_view name) { return find_model(tables::architectures(), name); }

std::vector<std::string> near_models(std::span<const tables::ArchTables> all, std::string_view name,
                                     std::size_t count) {
  if (name.size() > kLongestName) return {};
  NearestNames near(count);
  for (const tables::ArchTables& arch : all)
    for (const tables::Model& model : arch.models) {
      if (model.flags & tables::kOfNoCpu) continue;
      const std::string_view directory = arch.text(model.name);
      offer_if_near(dashed(name), {last_part(directory), directory}, directory, &near);
    }
  const std::string bare = bare_name(name);
  for (const tables::CpuFacts& facts : tables::built_in_facts())
    for (const tables::CpuName& row : facts.names)
      if (row.kind != tables::NameKind::pmu_name && row.model != 0 &&
          by_directory({all, {}}, facts.text(row.model)))
        offer_if_near(bare, {facts.text(row.name)}, facts.text(row.name), &near);
  return near.names();
}

std::vector<std::string> near_models(std::string_view name, std::size_t count) {
  return near_models(tables::architectures(), name, count);
}

std::string bare_product(std::string_view name) {
  std::string lower = to_lower(name.substr(0, kLongestProduct)), bare;
  for (const std::string_view mark : {"(r)", "(tm)"})
    for (std::size_t at; (at = lower.find(mark)) != std::string::npos;)
      lower.replace(at, mark.size(), " ");
  for (const std::string_view word : split(lower, ' ')) {
    if (word == "@" || word == "with" || word == "w/") break;
    const bool of_number = word == "gen" && bare.empty();  // "13th Gen"
    if (!of_number && !is_filler(word)) bare += bare_name(word);
  }
  return bare;
}

std::optional<Product> find_product(std::string_view bare, tables::FactLayers all) {
  if (bare.empty()) return std::nullopt;
  for (const tables::CpuFacts& facts : all)
    for (const tables::CpuProduct& row : facts.products)
      if (const auto pattern = pattern_of(facts, row); pattern && pattern->search(bare))
        return Product{facts.text(row.model), facts.text(row.cpuid), facts.text(row.note)};
  return std::nullopt;
}

std::vector<std::string> near_products(std::string_view name, std::size_t count,
                                       tables::FactLayers all) {
  std::vector<Guess> guesses = Guesses(name).list;
  for (const tables::CpuFacts& facts : all)
    for (const tables::CpuProduct& row : facts.products) {
      const auto pattern = pattern_of(facts, row);
      if (!pattern || (row.model == 0 && row.cpuid == 0)) continue;
      for (Guess& guess : guesses)
        guess.is_product = guess.is_product || pattern->search(guess.bare).has_value();
    }
  std::erase_if(guesses, [](const Guess& guess) { return !guess.is_product; });
  std::vector<std::string> out;
  for (Guess& guess : guesses)
    if (guess.by == guesses[0].by && out.size() < count &&
        std::ranges::find(out, guess.name) == out.end())
      out.push_back(std::move(guess.name));
  return out;
}

std::vector<CpuPattern> cpu_patterns() {
  std::vector<CpuPattern> out;
  for (const tables::ArchTables& arch : tables::architectures()) {
    std::vector<std::size_t> places;  // in `out`, of the rows
    for (const tables::MapRow& row : arch.map_rows) {
      places.push_back(out.size());
      if (row.model < arch.models.size())
        out.push_back({arch.arch, arch.text(row.pattern), arch.text(arch.models[row.model].name),
                       arch.text(row.version)});
    }
    for (const tables::MapOverlap& overlap : arch.map_overlaps)
      if (arch.map_rows[overlap.first].model < arch.models.size() &&
          arch.map_rows[overlap.second].model < arch.models.size())
        out[places[overlap.first]].takes_from.push_back(places[overlap.second]);
  }
  return out;
}

}  // namespace evname::cpu

namespace evname {
namespace {

/// Standard, system and common events belong to no CPU.
bool can_be_named(const tables::Model& model) { return (model.flags & tables::kOfNoCpu) == 0; }

std::vector<std::string_view> names_of(tables::NameKind kind, std::string_view directory) {
  std::vector<std::string_view> names;
  for (const tables::CpuFacts& facts : tables::built_in_facts())
    for (const tables::CpuName& row : facts.names)
      if (row.kind == kind && facts.text(row.model) == directory)
        names.push_back(facts.text(row.name));
  return names;
}

}  // namespace

std::vector<ModelInfo> models() {
  std::vector<ModelInfo> out;
  for (const tables::ArchTables& arch : tables::architectures())
    for (const tables::Model& model : arch.models) {
      if (!can_be_named(model)) continue;
      const std::string_view name = arch.text(model.name);
      out.push_back({arch.arch, name, tables::ModelView(arch, &model).event_count(),
                     names_of(tables::NameKind::short_name, name),
                     names_of(tables::NameKind::code_name, name)});
    }
  return out;
}

}  // namespace evname
