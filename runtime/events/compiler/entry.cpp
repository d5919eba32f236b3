#include "events/compiler/entry.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "base/text.hpp"
#include "events/compiler/keys.hpp"
#include "events/expression/parse.hpp"
#include "events/tables/legacy_words.hpp"

namespace evname::compiler {
namespace {

struct Word {
  std::string_view text;
  std::uint8_t number;
};

constexpr Word kAggregations[] = {{"", 0}, {"PerChip", 1}, {"PerCore", 2}};
constexpr Word kShares[] = {{"", 0}, {"slots", 1}, {"clocks", 2}, {"operations", 3}, {"parent", 4}};
constexpr Word kConstraints[] = {{"", 0},
                                 {"NO_GROUP_EVENTS", 1},
                                 {"NO_GROUP_EVENTS_NMI", 2},
                                 {"NO_NMI_WATCHDOG", 2},
                                 {"NO_GROUP_EVENTS_SMT", 3},
                                 {"NO_THRESHOLD_AND_NMI", 4}};

std::uint8_t word_number(const trees::Object& object, std::string_view key,
                         std::span<const Word> words, trees::Diagnostics& diagnostics) {
  const std::string_view text = object.get(key);
  for (const Word& word : words)
    if (word.text == text) return word.number;
  diagnostics.report(trees::Severity::error, object.find(key)->place, object.get("MetricName"), key,
                     fmt::format("'{}' is not a known word; taken as none", text));
  return 0;
}

void report_keys(const trees::Object& object, std::string_view name,
                 trees::Diagnostics& diagnostics) {
  for (const trees::Field& field : object.fields) {
    if (find_key(field.key)) continue;
    const std::string_view near = near_key(field.key);
    diagnostics.report(
        trees::Severity::warning, field.place, name, field.key,
        near.empty() ? "unknown key" : fmt::format("unknown key; is {} meant?", near));
  }
}

bool is_set(std::string_view text) {
  const auto number = read_number(text);
  return number && number->value != 0;
}

/// Lengths have 16 bits there.
bool fits_tables(const expression::Program& program) {
  constexpr std::size_t kMost = UINT16_MAX;
  const auto is_short = [](const expression::Symbol& symbol) {
    return symbol.name.size() <= kMost;
  };
  return program.steps.size() <= kMost && std::ranges::all_of(program.symbols, is_short);
}

/// An expression that can't be compiled is an error, and left out.
Formula read_formula(const trees::Object& object, std::string_view key,
                     trees::Diagnostics& diagnostics) {
  const trees::Field* field = object.find(key);
  if (!field || field->value.empty()) return {};
  auto program = expression::parse_expression(field->value);
  if (program && fits_tables(*program)) return {field->value, std::move(*program)};
  diagnostics.report(trees::Severity::error, field->place, object.get("MetricName"), key,
                     program ? "the expression is too long" : program.error().text());
  return {};
}

/// perf refuses a threshold that does not name its own metric.
void report_threshold(const trees::Object& object, const MetricSpec& metric,
                      trees::Diagnostics& diagnostics) {
  const expression::Program& program = metric.threshold.program;
  if (program.steps.empty() || metric.name.empty()) return;
  for (const expression::Symbol& symbol : program.symbols)
    if (symbol.name == metric.name) return;
  diagnostics.report(trees::Severity::warning, object.find("MetricThreshold")->place, metric.name,
                     "MetricThreshold", "does not name its own metric");
}

MetricSpec read_metric(const trees::Object& object, trees::Diagnostics& diagnostics) {
  MetricSpec metric;
  metric.name = object.get("MetricName");
  metric.group = object.get("MetricGroup");
  metric.expr = read_formula(object, "MetricExpr", diagnostics);
  metric.threshold = read_formula(object, "MetricThreshold", diagnostics);
  report_threshold(object, metric, diagnostics);
  metric.no_group = object.get("MetricgroupNoGroup");
  metric.default_group = object.get("DefaultMetricgroupName");
  metric.sample = object.get("SampleEvents");
  metric.share_of = word_number(object, "ShareOf", kShares, diagnostics);
  metric.aggregation = word_number(object, "AggregationMode", kAggregations, diagnostics);
  metric.constraint = word_number(object, "MetricConstraint", kConstraints, diagnostics);
  const std::string_view shown = object.get("DefaultShowEvents");
  metric.show_events = static_cast<std::uint8_t>(parse_number(shown).value_or(0) & 0xff);
  return metric;
}

template <class Text>
void inherit(Text& local, const Text& standard) {
  if (local.empty()) local = standard;
}

void inherit(Formula& local, const Formula& standard) {
  if (local.text.empty()) local = standard;
}

/// A reference takes the whole encoding of its target and fills local gaps. As in perf's generator,
/// it does not inherit the PMU.
void merge(Entry& entry, const Entry& standard) {
  entry.terms = standard.terms;
  inherit(entry.name, standard.name);
  inherit(entry.desc, standard.desc);
  inherit(entry.long_desc, standard.long_desc);
  inherit(entry.scale_unit, standard.scale_unit);
  inherit(entry.compat, standard.compat);
  inherit(entry.errata, standard.errata);
  entry.flags |= standard.flags;
  inherit(entry.metric.name, standard.metric.name);
  inherit(entry.metric.group, standard.metric.group);
  inherit(entry.metric.expr, standard.metric.expr);
  inherit(entry.metric.threshold, standard.metric.threshold);
  inherit(entry.metric.no_group, standard.metric.no_group);
  inherit(entry.metric.default_group, standard.metric.default_group);
  inherit(entry.metric.sample, standard.metric.sample);
  if (entry.metric.aggregation == 0) entry.metric.aggregation = standard.metric.aggregation;
  if (entry.metric.constraint == 0) entry.metric.constraint = standard.metric.constraint;
}

/// Returns the parts of a standard event that a reference takes.
Entry entry_of(const tables::ArchTables& arch, const tables::Event& event) {
  Entry entry;
  entry.name = arch.text(event.name);
  entry.desc = arch.text(event.desc);
  entry.long_desc = event.long_desc == 0 ? entry.desc : std::string(arch.text(event.long_desc));
  entry.scale_unit = arch.text(arch.traits_of(event).scale_unit);
  entry.compat = arch.text(arch.traits_of(event).compat);
  entry.errata = arch.text(arch.traits_of(event).errata);
  entry.flags = event.flags;
  for (const std::uint32_t index : tables::term_list(arch, event))
    entry.terms.push_back(tables::term_of(arch, arch.terms[index]));
  return entry;
}

bool merge_standard(const trees::Object& object, const StandardEvents& standard, Entry& entry,
                    trees::Diagnostics& diagnostics) {
  const trees::Field* reference = object.find("ArchStdEvent");
  if (!reference || reference->value.empty()) return true;
  Entry made;
  const Entry* const target = standard.find(to_lower(reference->value), made);
  if (target == nullptr) {
    diagnostics.report(
        trees::Severity::error, reference->place, entry.name, reference->key,
        fmt::format("'{}' is not a standard event of this architecture", reference->value));
    return false;
  }
  merge(entry, *target);
  return true;
}

/// Returns a description for display, without its final full stop.
std::string_view without_full_stop(std::string_view text) {
  for (const std::string_view end : {".  ", ". ", "."})
    if (text.ends_with(end)) text.remove_suffix(end.size());
  return text;
}

std::uint8_t read_flags(const trees::Object& object) {
  const std::string_view pebs = object.get("PEBS");
  unsigned flags = 0;
  if (is_set(object.get("Deprecated"))) flags |= tables::kDeprecated;
  if (is_set(object.get("PerPkg"))) flags |= tables::kPerPkg;
  if (is_set(pebs)) flags |= tables::kPrecise;
  if (pebs == "2") flags |= tables::kMustBePrecise;
  if (is_set(object.get("Data_LA"))) flags |= tables::kPreciseAddress;
  return static_cast<std::uint8_t>(flags);
}

using tables::NamedNumber;

bool is_one_of(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

/// The first word of a type is the one to use.
bool is_first(const NamedNumber& type) {
  return std::ranges::find(tables::kCacheTypes, type.number, &NamedNumber::number)->name ==
         type.name;
}

bool is_valid(const NamedNumber& type, const NamedNumber& op) {
  return (tables::kValidCacheOps[type.number] >> op.number & 1) != 0;
}

/// "loads", and "load-misses".
bool is_plain(const NamedNumber& op, const NamedNumber* result) {
  if (result == nullptr) return is_one_of(op.name, tables::kPluralCacheOps);
  return result->name == "misses" && is_one_of(op.name, tables::kSingularCacheOps);
}

void add_legacy_cache(const NamedNumber& type, const NamedNumber* op, const NamedNumber* result,
                      std::vector<Entry>& out) {
  std::string name(type.name);
  for (const NamedNumber* word : {op, result})
    if (word != nullptr) name.append("-").append(word->name);
  if (name == "branches" || name == "branch-misses") return;  // generic hardware events
  const std::uint64_t code =
      type.number | (op ? op->number : 0) << 8 | (result ? result->number : 0) << 16;
  Entry& entry = out.emplace_back();
  entry.name = to_lower(name);
  entry.pmu = "default_core";
  entry.terms.push_back({"legacy-cache-config", tables::Term::Value::number, code});
  entry.topic = "legacy cache";
  if (!is_first(type) || op == nullptr || !is_plain(*op, result))
    entry.flags |= tables::kDeprecated;
}

}  // namespace

const Entry* StandardEvents::find(std::string_view name, Entry& made) const {
  if (const auto at = own.find(name); at != own.end()) return &at->second;
  const Entry* found = nullptr;
  for (const tables::ModelView& model : below) {
    if (found != nullptr || (model.model->flags & tables::kStandard) == 0) continue;
    tables::find_event(model, name, [&](const tables::EventHit& hit) {
      made = entry_of(model.arch(), *hit.event);
      found = &made;
    });
  }
  return found;
}

std::optional<tables::Latency> read_latency(const trees::Object& object, const LatencyKeys& keys) {
  const auto number = [&](const char* key) {
    const std::string_view text = object.get(key);
    double value = 0;
    read_double(text, value);
    return std::isfinite(value) ? value : 0;
  };
  const tables::Latency latency{number(keys.mean), number(keys.min), number(keys.max)};
  if (latency.mean == 0 && latency.max == 0) return std::nullopt;
  return latency;
}

std::optional<Entry> read_entry(const trees::Object& object, const StandardEvents& standard,
                                trees::Diagnostics& diagnostics) {
  Entry entry;
  entry.place = object.place;
  entry.name = to_lower(object.get("EventName"));
  const bool reference = !object.get("ArchStdEvent").empty();
  if (reference || object.find("MetricName")) entry.metric = read_metric(object, diagnostics);
  report_keys(object, entry.name.empty() ? entry.metric.name : entry.name, diagnostics);
  if (entry.name.empty() && entry.metric.name.empty() && !reference) return std::nullopt;
  if (!reference && !entry.name.empty() && !encode_terms(object, diagnostics, entry.terms))
    return std::nullopt;
  entry.pmu = pmu_of_unit(object.get("Unit"));
  entry.desc = without_full_stop(object.get("BriefDescription"));
  entry.long_desc = without_full_stop(object.get("PublicDescription"));
  entry.errata = object.get("Errata");
  entry.scale_unit = object.get("ScaleUnit");
  entry.compat = object.get("Compat");
  entry.flags = read_flags(object);
  entry.latency = read_latency(
      object, {"RetirementLatencyMean", "RetirementLatencyMin", "RetirementLatencyMax"});
  if (!merge_standard(object, standard, entry, diagnostics)) return std::nullopt;
  if (const char* fixed = fixed_terms(entry.name)) entry.terms = terms_of_text(fixed);
  entry.counters = read_counters(object, entry.pmu, entry.terms, diagnostics);
  if (!entry.metric.name.empty() && entry.metric.expr.text.empty()) {
    if (object.get("MetricExpr").empty())
      diagnostics.report(trees::Severity::error, object.place, entry.metric.name, "MetricExpr",
                         "a metric without an expression");
    entry.metric = {};
  }
  if (entry.name.empty() && entry.metric.name.empty()) return std::nullopt;
  return entry;
}

void add_standard_entries(const trees::JsonFile& file, std::string_view topic,
                          StandardEvents& standard, trees::Diagnostics& diagnostics) {
  for (const trees::Object& object : file.objects) {
    auto entry = read_entry(object, standard, diagnostics);
    if (!entry) continue;
    entry->topic = topic;
    if (!entry->metric.name.empty()) standard.own[to_lower(entry->metric.name)] = *entry;
    if (!entry->name.empty()) standard.own[entry->name] = *entry;
  }
}

std::vector<Entry> legacy_cache_entries() {
  std::vector<Entry> out;
  for (const NamedNumber& type : tables::kCacheTypes) {
    add_legacy_cache(type, nullptr, nullptr, out);
    for (const NamedNumber& result : tables::kCacheResults)
      add_legacy_cache(type, nullptr, &result, out);
    for (const NamedNumber& op : tables::kCacheOps) {
      if (!is_valid(type, op)) continue;
      add_legacy_cache(type, &op, nullptr, out);
      for (const NamedNumber& result : tables::kCacheResults)
        add_legacy_cache(type, &op, &result, out);
    }
  }
  return out;
}

}  // namespace evname::compiler
