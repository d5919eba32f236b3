#include "emit/codes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/glob.hpp"
#include "base/text.hpp"
#include "evname/machine.hpp"

namespace evname::tools {
namespace {

/// Architecture and name.
using Model = std::pair<std::string_view, std::string_view>;
using Models = std::set<Model>;

/// Returns true if the glob matches the directory, its last part, or a short or code name.
bool is_like(const Glob& glob, const ModelInfo& model) {
  const std::string directory = to_lower(model.name);
  const auto matches = [&](std::string_view name) { return glob.matches(name); };
  return matches(directory) || matches(std::string(model.arch) + "/" + directory) ||
         matches(last_part(directory)) || std::ranges::any_of(model.short_names, matches) ||
         std::ranges::any_of(model.other_names, matches);
}

/// A CPUID string or another name of a model.
Result<void> add_named(const std::string& cpu, std::span<const cpu::CpuPattern> rows,
                       UserEvents user_events, Models& models) {
  const auto machine = Machine::named(cpu, {}, {}, user_events);
  if (!machine) return fail(machine);
  const CpuInfo& info = machine->cpu();
  if (info.matched_by != MatchedBy::cpuid && info.matched_by != MatchedBy::name)
    return fail(Errc::not_found, fmt::format("{}: {}", cpu, info.note));
  const auto row = std::ranges::find_if(rows, [&](const cpu::CpuPattern& one) {
    return one.arch == info.arch && one.model == info.model;
  });
  if (row == rows.end())
    return fail(Errc::not_found, fmt::format("{}: no mapfile row refers to it", cpu));
  models.emplace(row->arch, row->model);
  return {};
}

Result<Models> models_like(std::span<const std::string> globs,
                           std::span<const cpu::CpuPattern> rows, UserEvents user_events) {
  Models models;
  const auto all = evname::models();
  for (const std::string& text : globs) {
    const Glob glob(to_lower(trim(text)));
    bool found = false;
    for (const ModelInfo& model : all)
      if (is_like(glob, model)) {
        models.emplace(model.arch, model.name);
        found = true;
      }
    if (found) continue;
    if (auto done = add_named(text, rows, user_events, models); !done) return fail(done);
  }
  return models;
}

/// Returns true if the row takes CPUs from a wanted row.
bool takes_from_wanted(const CpuRow& row, std::span<const CpuRow> rows) {
  return std::ranges::any_of(row.takes_from, [&](std::size_t later) { return rows[later].wanted; });
}

}  // namespace

Result<std::vector<CpuRow>> cpu_rows(std::span<const std::string> globs, UserEvents user_events) {
  const auto patterns = cpu::cpu_patterns();
  const auto models = models_like(globs, patterns, user_events);
  if (!models) return fail(models);
  std::vector<CpuRow> rows, out;
  for (const cpu::CpuPattern& one : patterns)
    rows.push_back({one, models->contains({one.arch, one.model})});
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].wanted || takes_from_wanted(rows[i], rows)) out.push_back(rows[i]);
  return out;
}

}  // namespace evname::tools
