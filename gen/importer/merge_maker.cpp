#include "importer/merge_maker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/regex.hpp"
#include "base/text.hpp"
#include "events/compiler/encode_entry.hpp"
#include "events/compiler/keys.hpp"
#include "events/trees/vendor_tree.hpp"

namespace evname::importer {
namespace {

/// The keys of the code in a maker's files.
constexpr std::string_view kCodeKeys[] = {
    "EventCode", "ExtSel",    "ConfigCode", "UMask",  "UMaskExt", "CounterMask", "EdgeDetect",
    "Invert",    "AnyThread", "PortMask",   "FCMask", "MSRIndex", "MSRValue"};

/// Kernel PMUs that have no field for the maker's extension of the code.
constexpr std::string_view kNoExtension[] = {"uncore_ubox", "uncore_iio"};

/// This kernel PMU has no field for the extension of the event, but the unit has the bit.
constexpr std::string_view kNoEventExtension = "uncore_pcu";
constexpr unsigned kExtensionBit = 21;

/// States the whole code of an event whose extension fits no field of its PMU.
void use_config(Facts& facts) {
  const auto code = compiler::read_number(facts.get("EventCode"));
  const auto extension = compiler::read_number(facts.get("ExtSel"));
  if (!extension || facts.pmu() != kNoEventExtension) return;
  const std::uint64_t event = code ? code->value : 0;
  facts.set("ConfigCode", fmt::format("{:#x}", event | extension->value << kExtensionBit));
  facts.set("EventCode", "");
  facts.set("ExtSel", "");
}

/// 1 and 20 of "V1.20" and "v1.20".
std::pair<std::uint64_t, std::uint64_t> version_of(std::string_view text) {
  if (text.starts_with('v') || text.starts_with('V')) text.remove_prefix(1);
  const auto dot = text.find('.');
  const auto minor = dot == std::string_view::npos ? std::string_view("0") : text.substr(dot + 1);
  return {parse_decimal(text.substr(0, dot)).value_or(0), parse_decimal(minor).value_or(0)};
}

/// Without meaningless values: zeros, and filters in prose.
Facts tidy(Facts facts) {
  if (!trees::is_term_list(facts.get("Filter"))) facts.set("Filter", "");
  for (const compiler::Key& key : compiler::keys()) {
    const auto number = compiler::read_number(facts.get(key.name));
    if (number && number->value == 0 && key.name != "EventCode" && key.name != "MSRValue" &&
        key.name != "Counter")
      facts.set(key.name, "");
  }
  if (facts.get("MSRIndex").empty()) facts.set("MSRValue", "");
  use_config(facts);
  return facts;
}

/// One maker's model and the model of the tree that it goes to.
class Merger {
 public:
  Merger(ArchFacts& arch, const std::string& name, bool newer, std::vector<Disagreement>& out)
      : arch_(arch),
        name_(name),
        is_new_(!arch.models.contains(name) || arch.models[name].topics.empty()),
        model_(arch.models[name]),
        newer_(newer),
        out_(out) {
    for (auto& [file, rows] : arch_.standard)
      for (Facts& row : rows) standard_[to_lower(row.get("EventName"))] = &row;
    for (auto& [file, rows] : model_.topics)
      for (Facts& row : rows) index(row);
  }

  void add(const std::string& makers_file, const Facts& stated) {
    const Facts facts = tidy(stated);
    const std::string name = to_lower(facts.get("EventName"));
    if (const auto known = known_.find({facts.pmu(), name}); known != known_.end()) {
      compare(*known->second, facts, name);
    } else if (names_.contains(name)) {
      note(facts, name, "", "the kernel's: it is on another PMU there");
    } else if (const std::string_view reason = why_not_new(facts, name); !reason.empty()) {
      note(facts, name, "", reason);
    } else {
      const std::string file = is_new_                     ? makers_file
                               : facts.get("Unit").empty() ? "other.json"
                                                           : "uncore-other.json";
      added_[file].push_back(as_reference(facts, name));
    }
  }

  /// Inserts the new rows last, since known_ points to existing ones.
  void finish() {
    for (auto& [file, rows] : added_) {
      auto& topic = model_.topics[file];
      topic.insert(topic.end(), rows.begin(), rows.end());
    }
  }

 private:
  void index(Facts& row) {
    std::string name = to_lower(row.get("EventName"));
    if (name.empty()) name = to_lower(row.get("ArchStdEvent"));
    if (name.empty()) return;
    known_.try_emplace({row.pmu(), name}, &row);
    names_.insert(name);
    if (!row.get("MSRValue").empty()) codes_.insert(row.encoding());
  }

  const Facts* standard(const Facts& row) const {
    const auto at = standard_.find(to_lower(row.get("ArchStdEvent")));
    return at == standard_.end() ? nullptr : at->second;
  }

  std::string encoding_of(const Facts& row) const {
    const Facts* target = standard(row);
    return target == nullptr ? row.encoding() : target->encoding();
  }

  void compare(Facts& known, const Facts& makers, const std::string& name) {
    const std::string theirs = encoding_of(known), stated = makers.encoding();
    if (theirs == stated) return add_counters(known, makers);
    if (const std::string_view reason = kernels_own(known, makers); !reason.empty())
      return note(makers, name, theirs, reason);
    note(makers, name, theirs, "the maker's");
    if (!known.get("ArchStdEvent").empty()) known = makers;
    for (const std::string_view key : kCodeKeys) known.set(key, makers.get(key));
  }

  /// Returns why the kernel's encoding stays; "" if it does not.
  std::string_view kernels_own(const Facts& known, const Facts& makers) const {
    if (newer_) return "the kernel's: it has a later version of the maker's";
    if (!known.get("Filter").empty()) return "the kernel's: it says which field the filter goes to";
    if (known.get("EventCode") == "0xff" || known.get("EventCode") == "0xFF")
      return "the kernel's: its driver counts the clock under this code";
    const bool extended = !makers.get("ExtSel").empty() || !makers.get("UMaskExt").empty();
    if (extended && std::ranges::find(kNoExtension, makers.pmu()) != std::end(kNoExtension))
      return "the kernel's: its PMU has no field for the extension of the code";
    return {};
  }

  /// Returns why an event of only the maker is not taken; "" if it is.
  std::string_view why_not_new(const Facts& facts, const std::string& name) const {
    if (name.find(':') != std::string::npos) return "neither: no event's name may have a colon";
    if (!facts.get("MSRValue").empty() && codes_.contains(facts.encoding()))
      return "the kernel's: it has this code under a shorter name";
    if (name.ends_with("_freerun") && facts.encoding().empty())
      return "neither: it has no code, and no PMU of the kernel counts it";
    if (name == "chain") return "neither: drivers use it to join counters";
    return {};
  }

  static void add_counters(Facts& known, const Facts& makers) {
    if (known.get("Counter").empty() && known.get("ArchStdEvent").empty())
      known.set("Counter", makers.get("Counter"));
  }

  Facts as_reference(const Facts& facts, const std::string& name) const {
    const auto target = standard_.find(name);
    if (target == standard_.end() || target->second->encoding() != facts.encoding()) return facts;
    Facts reference;
    reference.set("ArchStdEvent", target->second->get("EventName"));
    return reference;
  }

  void note(const Facts& makers, const std::string& name, std::string theirs,
            std::string_view taken) {
    out_.push_back(
        {name_, makers.pmu(), name, std::move(theirs), makers.encoding(), std::string(taken)});
  }

  ArchFacts& arch_;
  const std::string& name_;
  bool is_new_;  ///< to the tree
  ModelFacts& model_;
  bool newer_;  ///< the kernel's files are of a later version
  std::vector<Disagreement>& out_;
  std::map<std::string, Facts*> standard_;
  std::map<std::pair<std::string, std::string>, Facts*> known_;
  std::set<std::string> names_;
  std::set<std::string> codes_;  ///< of events with an extra register
  Topics added_;
};

bool is_same_cpu(const std::string& a, const std::string& b) {
  const auto x = parse_number(a), y = parse_number(b);
  return x && y && *x == *y;
}

/// The kernel's model of the CPU: the directory of its name; one that a row for its MIDR leads to,
/// unless that is the name of another CPU of the maker's; or a new one.
std::string target_of(const trees::ModelDir& model, const ArchFacts& into,
                      const std::vector<trees::MapfileRow>& rows,
                      std::vector<trees::MapfileRow>::const_iterator* kernels) {
  *kernels = std::ranges::find_if(into.map_rows, [&](const trees::MapfileRow& row) {
    return std::ranges::any_of(
        rows, [&](const auto& own) { return is_same_cpu(own.pattern, row.pattern); });
  });
  if (into.models.contains(model.name)) return model.name;
  if (*kernels == into.map_rows.end()) return model.name;
  const std::string& shared = (*kernels)->directory;
  const bool of_another = last_part(model.name).starts_with(last_part(shared)) &&
                          last_part(model.name) != last_part(shared);
  return of_another || !into.models.contains(shared) ? model.name : shared;
}

/// An earlier row takes all CPUs of this one; a pattern of the maker's is a CPUID string, or one of
/// the kernel's patterns.
bool is_mapped(const trees::MapfileRow& row, const std::vector<trees::MapfileRow>& rows) {
  return std::ranges::any_of(rows, [&](const trees::MapfileRow& known) {
    if (known.pattern == row.pattern || is_same_cpu(known.pattern, row.pattern)) return true;
    if (parse_number(row.pattern)) return false;
    const auto expression = Regex::compile(known.pattern);
    const auto match = expression ? expression->search(row.pattern) : std::nullopt;
    return match && match->size == row.pattern.size();
  });
}

/// "Arm telemetry Neoverse N2" of "Arm telemetry Neoverse N2 r0p3 2025-08-08": less what changes
/// from version to version.
std::string_view stem_of(std::string_view source) {
  for (;;) {
    const auto space = source.rfind(' ');
    if (space == std::string_view::npos) return source;
    const std::string_view word = source.substr(space + 1);
    if (word.find_first_not_of("rp0123456789.-") != std::string_view::npos) return source;
    source = source.substr(0, space);
  }
}

}  // namespace

void merge_maker(const trees::ModelDir& model, const std::vector<trees::MapfileRow>& rows,
                 const Topics& facts, ArchFacts& into, std::vector<Disagreement>& out) {
  const auto has_event = [](const Facts& entry) { return !entry.get("EventName").empty(); };
  if (std::ranges::none_of(
          facts, [&](const auto& file) { return std::ranges::any_of(file.second, has_event); }))
    return;
  std::vector<trees::MapfileRow>::const_iterator kernels;
  const std::string name = target_of(model, into, rows, &kernels);
  const auto of_name = std::ranges::find(into.map_rows, name, &trees::MapfileRow::directory);
  const bool newer = of_name != into.map_rows.end() && !rows.empty() &&
                     version_of(of_name->version) > version_of(rows.front().version) &&
                     model.source.starts_with("Intel");
  Merger merger(into, name, newer, out);
  for (const auto& [file, entries] : facts)
    for (const Facts& entry : entries)
      if (has_event(entry)) merger.add(file, entry);
  merger.finish();
  ModelFacts& target = into.models[name];
  std::erase_if(target.sources,
                [&](const std::string& known) { return stem_of(known) == stem_of(model.source); });
  target.sources.insert(target.sources.begin(), model.source);
  for (trees::MapfileRow row : rows) {
    row.directory = name;
    const bool moved = kernels != into.map_rows.end() && kernels->directory != name &&
                       is_same_cpu(kernels->pattern, row.pattern);
    if (moved)
      into.map_rows[static_cast<std::size_t>(kernels - into.map_rows.cbegin())].directory = name;
    else if (!is_mapped(row, into.map_rows))
      into.map_rows.push_back(std::move(row));
  }
}

}  // namespace evname::importer
