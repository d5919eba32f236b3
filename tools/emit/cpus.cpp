#include "emit/cpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "cpu/match.hpp"
#include "cpu/pattern_members.hpp"
#include "machine/state.hpp"
#include "tables/registry.hpp"

namespace evname::tools {
namespace {

using Models = std::set<const tables::Model*>;

/// Does the mapfile lead to it at all? Not to system tables, nor to standard events.
bool is_mapped(const tables::ArchTables& arch, const tables::Model& model) {
  return std::ranges::any_of(arch.map_rows, [&](const tables::MapRow& row) {
    return row.model < arch.models.size() && &arch.models[row.model] == &model;
  });
}

bool is_like(const std::string& glob, const tables::ArchTables& arch, const tables::Model& model) {
  const std::string directory = to_lower(arch.text(model.name));
  return glob_match(glob, directory) ||
         glob_match(glob, std::string(arch.arch) + "/" + directory) ||
         glob_match(glob, directory.substr(directory.rfind('/') + 1));
}

/// A CPUID string or another name of a model.
Result<void> add_named(const std::string& cpu, Models& models) {
  const auto machine = Machine::named(cpu);
  if (!machine) return tl::unexpected(machine.error());
  const cpu::ModelMatch& match = machine->state().match;
  if (match.matched_by != MatchedBy::cpuid && match.matched_by != MatchedBy::name)
    return fail(Errc::not_found, fmt::format("{}: {}", cpu, match.note));
  if (!is_mapped(match.model.arch, *match.model.model))
    return fail(Errc::not_found, fmt::format("{}: no row of a mapfile leads to it", cpu));
  models.insert(match.model.model);
  return {};
}

Result<Models> models_like(std::span<const std::string> globs) {
  Models models;
  for (const std::string& text : globs) {
    const std::string glob = to_lower(trim(text));
    bool found = false;
    for (std::size_t i = 0; i < tables::architecture_count(); ++i) {
      const tables::ArchTables arch = tables::architecture(i);
      for (const tables::Model& model : arch.models)
        if (is_like(glob, arch, model) && is_mapped(arch, model)) {
          models.insert(&model);
          found = true;
        }
    }
    if (found) continue;
    if (auto done = add_named(text, models); !done) return tl::unexpected(done.error());
  }
  return models;
}

/// CPUID strings that the pattern stands for: a member for each choice it leaves, up to a limit.
std::vector<std::string> members(std::string_view pattern, std::string_view arch) {
  constexpr std::size_t kMost = 1024;
  std::vector<std::string> out;
  cpu::Choices choices;
  do {
    auto member = cpu::expand(pattern, choices);
    if (!member) break;
    const bool without_stepping =
        arch == "x86" && std::count(member->begin(), member->end(), '-') == 2;
    out.push_back(std::move(*member));
    if (without_stepping) out.back() += "-0";
  } while (out.size() < kMost && choices.advance());
  return out;
}

/// Takes an earlier row CPUs from one of the later ones that are wanted?
bool shadows(const CpuRow& row, std::span<const CpuRow> later) {
  const std::string_view arch = row.model.arch.arch;
  std::vector<std::string_view> wanted;
  for (const CpuRow& other : later)
    if (other.wanted) wanted.push_back(other.pattern);
  if (wanted.empty()) return false;
  return std::ranges::any_of(members(row.pattern, arch), [&](const std::string& cpuid) {
    return std::ranges::any_of(wanted, [&](std::string_view pattern) {
      return cpu::pattern_matches(arch, pattern, cpuid);
    });
  });
}

void add_rows(const tables::ArchTables& arch, const Models& models, std::vector<CpuRow>& out) {
  std::vector<CpuRow> rows;
  for (const tables::MapRow& row : arch.map_rows) {
    if (row.model >= arch.models.size()) continue;
    const tables::ModelView model{arch, &arch.models[row.model]};
    rows.push_back({arch.text(row.pattern), model, models.contains(model.model)});
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].wanted || shadows(rows[i], std::span(rows).subspan(i + 1))) out.push_back(rows[i]);
}

}  // namespace

Result<std::vector<CpuRow>> cpu_rows(std::span<const std::string> globs) {
  const auto models = models_like(globs);
  if (!models) return tl::unexpected(models.error());
  std::vector<CpuRow> rows;
  for (std::size_t i = 0; i < tables::architecture_count(); ++i)
    add_rows(tables::architecture(i), *models, rows);
  return rows;
}

}  // namespace evname::tools
