#include "events/trees/vendor_metrics.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "events/trees/vendor_formula.hpp"

namespace evname::trees {
namespace {

using GroupTexts = std::vector<std::pair<std::string, std::string>>;

/// A word of a maker, and the text in the kernel's files.
struct MakersWord {
  std::string_view theirs, ours;
};
constexpr MakersWord kIntelUnits[] = {
    {"percent", "100%"}, {"per instruction", "1per_instr"}, {"MB/sec", "1MB/s"}, {"ns", "1ns"},
    {"GHz", "1GHz"},     {"per second", "1per_sec"},
};

/// The whole that a node's value is a share of: the beginning of Intel's CountDomain, or the end of
/// Arm's units.
constexpr MakersWord kIntelShares[] = {{"Slots", "slots"},
                                       {"Clocks", "clocks"},
                                       {"Core_", "clocks"},
                                       {"Stalls", "clocks"},
                                       {"Uops", "operations"}};
constexpr MakersWord kArmShares[] = {{"percent of slots", "slots"},
                                     {"percent of cycles", "clocks"},
                                     {"percent of operations", "operations"},
                                     {"percent of backend stalls", "parent"}};

std::string_view share_of(std::string_view text, std::span<const MakersWord> shares) {
  for (const MakersWord& row : shares)
    if (text.starts_with(row.theirs)) return row.ours;
  return {};
}

/// "X.Y/cmask=1/" of "X.Y:c1": an event in the syntax of -e; "" of "#NA".
std::string sampled_event(std::string_view event) {
  std::string text = kernel_event(trim(event)).value_or("");
  std::erase(text, '\\');
  std::replace(text.begin(), text.end(), '@', '/');
  return text;
}

std::string_view scale_unit_of(std::string_view unit) {
  for (const MakersWord& row : kIntelUnits)
    if (row.theirs == unit) return row.ours;
  return {};
}

constexpr MakersWord kIntelConstants[] = {
    {"HYPERTHREADING_ON", "#SMT_on"},
    {"THREADS_PER_CORE", "(1 + #SMT_on)"},
    {"DURATIONTIMEINMILLISECONDS", "(duration_time * 1000)"},
    {"DURATIONTIMEINSECONDS", "duration_time"},
    {"SOCKET_COUNT", "#num_packages"},
    {"CORES_PER_SOCKET", "(#num_cores / #num_packages)"},
    {"system.sockets[0].cpus.count * system.socket_count", "#num_cpus_online"},
};

void set_field(Object& object, std::string_view key, std::string_view value, Place place) {
  if (!value.empty()) object.fields.push_back({key, value, place, false});
}

/// Returns the description's first sentence; "i.e. this" is not the end of one.
std::string_view first_sentence(std::string_view text) {
  for (auto end = text.find(". "); end != std::string_view::npos; end = text.find(". ", end + 1)) {
    const auto next = text.find_first_not_of(' ', end + 1);
    if (next == std::string_view::npos || text[next] < 'a' || text[next] > 'z')
      return text.substr(0, end);
  }
  return text;
}

/// The converted metric. New texts live in the file.
class KernelMetric {
 public:
  KernelMetric(Object& object, JsonFile& file) : object_(object), file_(file) {}

  std::string name, expression, threshold, groups, scale_unit, description, sample;
  std::string_view share;
  Place place, expression_place, threshold_place;

  /// Adds an event to sample if the metric is high.
  void add_sample(std::string_view event) {
    const std::string text = sampled_event(event);
    if (!text.empty()) sample.append(sample.empty() ? "" : ";").append(text);
  }

  void add_group(std::string_view group) {
    if (!group.empty()) groups.append(groups.empty() ? "" : ";").append(group);
  }

  /// Replaces the fields of the object.
  void put() {
    std::replace(description.begin(), description.end(), '\n', ' ');
    object_.fields.clear();
    set_field(object_, "MetricName", keep(name), place);
    set_field(object_, "MetricExpr", keep(expression), expression_place);
    set_field(object_, "MetricThreshold", keep(threshold), threshold_place);
    set_field(object_, "MetricGroup", keep(groups), place);
    set_field(object_, "ScaleUnit", keep(scale_unit), place);
    set_field(object_, "SampleEvents", keep(sample), place);
    set_field(object_, "ShareOf", share, place);
    set_field(object_, "BriefDescription", keep(std::string(first_sentence(description))), place);
    set_field(object_, "PublicDescription", keep(description), place);
  }

 private:
  std::string_view keep(std::string text) { return file_.added.emplace_back(std::move(text)); }

  Object& object_;
  JsonFile& file_;
};

/// An element of "Events", "Constants" or "ThresholdMetrics".
struct AliasRow {
  std::string_view name, alias;
  Place place;
};

std::vector<AliasRow> alias_rows(const Object& object, std::string_view path,
                                 std::string_view name_key) {
  std::vector<AliasRow> out;
  for (const InnerValue& inner : object.inner) {
    if (inner.path != path || inner.element > object.inner.size()) continue;
    if (out.size() <= inner.element) out.resize(inner.element + 1);
    AliasRow& row = out[inner.element];
    row.place = inner.place;
    if (inner.key == name_key) row.name = inner.value;
    if (inner.key == "Alias") row.alias = inner.value;
  }
  return out;
}

bool is_of_tree(const Object& object) { return object.get("Category") == "TMA"; }

std::string intel_name(const Object& object) {
  const std::string_view name = object.get("MetricName");
  return is_of_tree(object) ? "tma_" + to_lower(name) : std::string(name);
}

bool is_percent(const Object& object) { return object.get("UnitOfMeasure") == "percent"; }

class IntelMetrics {
 public:
  IntelMetrics(JsonFile& file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {
    for (const Object& object : file.objects)
      if (is_intel(object)) {
        const std::string called(object.get("LegacyName"));
        legacy_names_[called] = {intel_name(object), {}};
        if (is_percent(object)) percentages_.insert(called);
      }
  }

  static bool is_intel(const Object& object) {
    return object.member == "metrics" &&
           (object.find("Formula") != nullptr || object.find("BaseFormula") != nullptr);
  }

  void convert(Object& object);

 private:
  Result<FormulaNames> names_of(const Object& object) const;
  Result<std::string> expression_of(const Object& object) const;
  Result<std::string> threshold_of(const Object& object, std::string_view formula) const;
  static Result<std::string> constant_text(const Object& object, std::string_view name,
                                           std::string_view cha_event);
  static Result<void> add_name(const AliasRow& row, const FormulaName& name, FormulaNames& out);
  void report(const Object& object, Place place, std::string_view key, const Error& error) {
    diagnostics_.report(Severity::error, place, object.get("MetricName"), key, error.text());
  }

  JsonFile& file_;
  Diagnostics& diagnostics_;
  FormulaNames legacy_names_;  ///< metrics as formulas of thresholds call them
  std::set<std::string, std::less<>> percentages_;
};

Result<void> IntelMetrics::add_name(const AliasRow& row, const FormulaName& name,
                                    FormulaNames& out) {
  if (row.alias.empty() || row.name.empty())
    return fail(Errc::invalid_argument, "a Name or an Alias is missing");
  const auto [at, is_new] = out.try_emplace(std::string(row.alias), name);
  if (is_new) return {};
  return fail(Errc::invalid_argument, fmt::format("the alias '{}' stands twice", row.alias));
}

/// SYSTEM_TSC_FREQ is the frequency; formulas of the tree mean counts at this frequency. The number
/// of CHAs is the number of PMUs with `cha_event`, "" for none.
Result<std::string> IntelMetrics::constant_text(const Object& object, std::string_view name,
                                                std::string_view cha_event) {
  for (const MakersWord& row : kIntelConstants)
    if (row.theirs == name) return std::string(row.ours);
  if (name == "SYSTEM_TSC_FREQ") return is_of_tree(object) ? "msr@tsc@" : "#SYSTEM_TSC_FREQ";
  double number = 0;
  if (!name.empty() && name[0] != '-' && read_double(name, number) == name.size())
    return std::string(name);
  if (name == "CHAS_PER_SOCKET" && !cha_event.empty())
    return kernel_event(cha_event.substr(0, cha_event.find(':'))).map([](const auto& event) {
      return fmt::format("source_count({})", event);
    });
  return fail(Errc::invalid_argument, fmt::format("unknown constant '{}'", name));
}

Result<FormulaNames> IntelMetrics::names_of(const Object& object) const {
  FormulaNames out;
  std::string_view cha_event;
  for (const AliasRow& row : alias_rows(object, "Events", "Name")) {
    if (cha_event.empty() && row.name.starts_with("UNC_C")) cha_event = row.name;
    auto event = kernel_event(row.name);
    if (!event) return fail(event);
    auto done = add_name(row, {*event, kernel_event(row.name, true).value_or("")}, out);
    if (!done) return fail(done);
  }
  for (const AliasRow& row : alias_rows(object, "Constants", "Name")) {
    auto text = constant_text(object, row.name, cha_event);
    if (!text) return fail(text);
    if (auto done = add_name(row, {*text, {}}, out); !done) return fail(done);
  }
  return out;
}

/// Formula is complete; BaseFormula refers to other metrics and names of events.
Result<std::string> IntelMetrics::expression_of(const Object& object) const {
  auto names = names_of(object);
  if (!names) return fail(names);
  const std::string_view formula = object.get("Formula");
  if (formula.empty()) return kernel_formula(object.get("BaseFormula"), *names, OtherWords::events);
  auto text = kernel_formula(formula, *names, OtherWords::unknown);
  return text && is_percent(object) ? without_percent(std::move(*text)) : text;
}

/// Metrics have aliases there, or appear under their LegacyName. Only numbers of aliases are
/// percentages.
Result<std::string> IntelMetrics::threshold_of(const Object& object,
                                               std::string_view formula) const {
  const auto rows = alias_rows(object, "Threshold/ThresholdMetrics", "Value");
  if (rows.empty()) return kernel_formula(formula, legacy_names_, OtherWords::unknown);
  FormulaNames names;
  for (const AliasRow& row : rows) {
    const auto metric = legacy_names_.find(std::string(row.name));
    if (metric == legacy_names_.end())
      return fail(Errc::invalid_argument,
                  fmt::format("'{}' is not a metric of the file", row.name));
    auto done = add_name(row, {metric->second.text, {}, percentages_.contains(row.name)}, names);
    if (!done) return fail(done);
  }
  return kernel_formula(formula, names, OtherWords::unknown);
}

/// If a key is repeated, the last one counts.
const InnerValue* threshold_formula(const Object& object) {
  const InnerValue* last = nullptr;
  for (const InnerValue& inner : object.inner)
    if (inner.path == "Threshold" && inner.key == "Formula" && !inner.value.empty()) last = &inner;
  return last;
}

void IntelMetrics::convert(Object& object) {
  KernelMetric metric(object, file_);
  const Field* const formula =
      object.find(object.get("Formula").empty() ? "BaseFormula" : "Formula");
  metric.place = object.place;
  metric.expression_place = formula == nullptr ? object.place : formula->place;
  metric.name = intel_name(object);
  auto expression = expression_of(object);
  if (!expression) {
    report(object, metric.expression_place, "Formula", expression.error());
    object.fields.clear();
    return;
  }
  metric.expression = std::move(*expression);
  if (const InnerValue* const inner = threshold_formula(object)) {
    metric.threshold_place = inner->place;
    auto threshold = threshold_of(object, inner->value);
    if (!threshold) report(object, inner->place, "Threshold", threshold.error());
    metric.threshold = threshold.value_or("");
  }
  metric.add_group(object.get("MetricGroup"));
  const std::string_view level = object.get("Level"), parent = object.get("ParentCategory");
  const std::string_view own = object.get("MetricName");
  if (is_of_tree(object) && !own.starts_with("Info_") && !own.starts_with("Bottleneck_")) {
    metric.add_group(fmt::format("TopdownL{0};tma_L{0}_group", level));
    metric.share = share_of(object.get("CountDomain"), kIntelShares);
    if (!parent.empty()) metric.add_group(fmt::format("tma_{}_group", to_lower(parent)));
  }
  metric.scale_unit = scale_unit_of(object.get("UnitOfMeasure"));
  metric.description = object.get("BriefDescription");
  for (const std::string_view event : split(object.get("LocateWith"), ';'))
    metric.add_sample(event);
  metric.put();
}

/// Facts about metrics elsewhere in Arm's files.
class ArmMetrics {
 public:
  ArmMetrics(JsonFile& file, Diagnostics& diagnostics);

  static bool is_arm(const Object& object) {
    return object.member == "metrics" && object.find("formula") != nullptr;
  }
  void convert(Object& object, JsonFile& file, Diagnostics& diagnostics) const;
  GroupTexts take_texts() { return std::move(texts_); }

 private:
  using Names = std::vector<std::string_view>;

  void read_groups(const Object& object);
  void read_methodology(const Object& object, Diagnostics& diagnostics);
  bool add_below(std::string_view parent, std::string_view item, Names& below);
  void set_levels(const Names& roots, const std::map<std::string_view, Names>& children,
                  const std::set<std::string_view>& nodes);

  std::map<std::string_view, Names> members_;                 ///< metrics of groups
  std::map<std::string_view, std::set<std::string>> groups_;  ///< of metrics
  GroupTexts texts_;
  std::size_t size_below_ = 0;  ///< limit of memory for the metrics below others, at least
};

ArmMetrics::ArmMetrics(JsonFile& file, Diagnostics& diagnostics) {
  for (const Object& object : file.objects)
    if (object.member == "groups" && object.get("EventName") == "metrics") read_groups(object);
  for (const Object& object : file.objects)
    if (object.member == "methodologies") read_methodology(object, diagnostics);
}

void ArmMetrics::read_groups(const Object& object) {
  for (const InnerValue& inner : object.inner) {
    const std::string_view group = inner.path.substr(0, inner.path.find('/'));
    if (inner.key == "description" && inner.path == group)
      texts_.emplace_back(group, first_sentence(inner.value));
    if (inner.path != group && inner.path.substr(group.size()) == "/metrics") {
      members_[group].push_back(inner.value);
      groups_[inner.value].emplace(group);
    }
  }
}

/// Adds an item below a metric: a metric, or all metrics of a group. Returns false if that is too
/// much: large groups may be below many metrics.
bool ArmMetrics::add_below(std::string_view parent, std::string_view item, Names& below) {
  constexpr std::size_t kMostMemory = std::size_t{1} << 25;
  const auto group = members_.find(item);
  const Names one = {item};
  const Names& added = group == members_.end() ? one : group->second;
  const std::size_t each = parent.size() + sizeof(std::string_view);
  if (added.size() > (kMostMemory - size_below_) / each) return false;
  size_below_ += added.size() * each;
  below.insert(below.end(), added.begin(), added.end());
  return true;
}

void ArmMetrics::read_methodology(const Object& object, Diagnostics& diagnostics) {
  std::map<std::uint32_t, std::string_view> names;  // by element
  std::map<std::string_view, Names> children;
  Names roots;
  for (const InnerValue& inner : object.inner) {
    if (inner.path == "decision_tree/root_nodes") roots.push_back(inner.value);
    if (inner.path == "decision_tree/metrics" && inner.key == "name")
      names[inner.element] = inner.value;
  }
  for (const InnerValue& inner : object.inner) {
    if (inner.path != "decision_tree/metrics/next_items" || !names.contains(inner.element))
      continue;
    const std::string_view parent = names[inner.element];
    if (add_below(parent, inner.value, children[parent])) continue;
    diagnostics.report(Severity::error, inner.place, object.get("EventName"), "next_items",
                       "too many metrics below others; the rest is left out");
    break;
  }
  for (const auto& [parent, below] : children)
    for (const std::string_view child : below)
      groups_[child].insert(fmt::format("{}_group", parent));
  std::set<std::string_view> nodes;
  for (const auto& [element, name] : names) nodes.insert(name);
  set_levels(roots, children, nodes);
}

/// Metrics that only add detail to a node have no level.
void ArmMetrics::set_levels(const Names& roots, const std::map<std::string_view, Names>& children,
                            const std::set<std::string_view>& nodes) {
  std::set<std::string_view> seen;
  Names level = roots;
  for (std::size_t depth = 1; !level.empty(); ++depth) {
    Names next;
    for (const std::string_view metric : level) {
      if (!nodes.contains(metric) || !seen.insert(metric).second) continue;
      groups_[metric].insert(fmt::format("TopdownL{}", depth));
      if (const auto below = children.find(metric); below != children.end())
        next.insert(next.end(), below->second.begin(), below->second.end());
    }
    level = std::move(next);
  }
}

void ArmMetrics::convert(Object& object, JsonFile& file, Diagnostics& diagnostics) const {
  KernelMetric metric(object, file);
  metric.place = object.place;
  metric.name = object.get("EventName");
  metric.expression_place = object.find("formula")->place;
  auto expression = kernel_formula(object.get("formula"), {}, OtherWords::events);
  if (!expression) {
    diagnostics.report(Severity::error, metric.expression_place, metric.name, "formula",
                       expression.error().text());
    object.fields.clear();
    return;
  }
  metric.expression = std::move(*expression);
  if (const auto groups = groups_.find(object.get("EventName")); groups != groups_.end())
    for (const std::string& group : groups->second) metric.add_group(group);
  if (const std::string_view units = object.get("units"); !units.empty())
    metric.scale_unit = fmt::format("1{}", units);
  metric.share = share_of(object.get("units"), kArmShares);
  metric.description = object.get("description");
  for (const InnerValue& inner : object.inner)
    if (inner.path == "sample_events") metric.add_sample(inner.value);
  metric.put();
}

std::string metric_name(const Object& object) {
  return std::string(object.get(ArmMetrics::is_arm(object) ? "EventName" : "MetricName"));
}

bool is_second(const Object& object, std::set<std::string>& names) {
  if (!IntelMetrics::is_intel(object) && !ArmMetrics::is_arm(object)) return false;
  return !names.insert(to_lower(metric_name(object))).second;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> metrics_to_kernel_form(JsonFile& file,
                                                                        Diagnostics& diagnostics) {
  IntelMetrics intel(file, diagnostics);
  ArmMetrics arm(file, diagnostics);
  std::set<std::string> names;
  for (Object& object : file.objects) {
    if (is_second(object, names)) {
      diagnostics.report(Severity::error, object.place, metric_name(object), "MetricName",
                         "stands twice in the file; the first counts");
      object.fields.clear();
      continue;
    }
    if (IntelMetrics::is_intel(object))
      intel.convert(object);
    else if (ArmMetrics::is_arm(object))
      arm.convert(object, file, diagnostics);
    else if (object.member == "groups" || object.member == "methodologies")
      object.fields.clear();
  }
  return arm.take_texts();
}

}  // namespace evname::trees
