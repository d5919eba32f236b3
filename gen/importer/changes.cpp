#include "importer/changes.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/text.hpp"

namespace evname::importer {
namespace {

using Codes = std::map<std::string, std::string>;

Codes standard_codes(const ArchFacts& arch) {
  Codes out;
  for (const auto& [file, rows] : arch.standard)
    for (const Facts& row : rows) out.try_emplace(to_lower(row.get("EventName")), row.encoding());
  return out;
}

/// By "pmu/name"; the first of several counts, as in the tables.
Codes codes_of(const ModelFacts& model, const Codes& standard) {
  Codes out;
  for (const auto& [file, rows] : model.topics)
    for (const Facts& row : rows) {
      const std::string reference = to_lower(row.get("ArchStdEvent"));
      const auto target = standard.find(reference);
      std::string name = to_lower(row.get("EventName"));
      if (name.empty()) name = reference;
      if (name.empty()) continue;
      out.try_emplace(row.pmu() + "/" + name,
                      target == standard.end() ? row.encoding() : target->second);
    }
  return out;
}

Codes rows_of(const ArchFacts& arch) {
  Codes out;
  for (const trees::MapfileRow& row : arch.map_rows) {
    std::string to = row.directory;
    if (!row.version.empty()) to += " " + row.version;
    out.try_emplace(row.pattern, std::move(to));
  }
  return out;
}

ModelChanges compare(std::string title, const Codes& before, const Codes& after) {
  ModelChanges out;
  out.model = std::move(title);
  for (const auto& [name, code] : after) {
    const auto old = before.find(name);
    if (old == before.end()) {
      ++out.added;
      out.lines.push_back(fmt::format("new {}: {}", name, code));
    } else if (old->second != code) {
      ++out.changed;
      out.lines.push_back(fmt::format("changed {}: {} -> {}", name, old->second, code));
    }
  }
  for (const auto& [name, code] : before)
    if (!after.contains(name)) {
      ++out.gone;
      out.lines.push_back(fmt::format("gone {}: {}", name, code));
    }
  return out;
}

}  // namespace

std::vector<ModelChanges> changes_between(const std::string& arch, const ArchFacts& before,
                                          const ArchFacts& after) {
  std::vector<ModelChanges> out;
  const Codes old_standard = standard_codes(before), new_standard = standard_codes(after);
  const auto add = [&](ModelChanges changes) {
    if (!changes.lines.empty()) out.push_back(std::move(changes));
  };
  for (const auto& [name, model] : after.models) {
    const auto old = before.models.find(name);
    add(compare(arch + "/" + name,
                old == before.models.end() ? Codes() : codes_of(old->second, old_standard),
                codes_of(model, new_standard)));
  }
  add(compare(arch + "/mapfile.csv", rows_of(before), rows_of(after)));
  return out;
}

}  // namespace evname::importer
