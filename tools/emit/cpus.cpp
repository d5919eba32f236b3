#include "emit/cpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "cpu/expand.hpp"
#include "cpu/match.hpp"
#include "event/machine_state.hpp"
#include "tables/registry.hpp"

namespace evname::tools {
namespace {

using Models = std::set<const tables::Model*>;

bool is_like(const std::string& glob, const tables::ArchTables& arch, const tables::Model& model) {
  if ((model.flags & (tables::kSystem | tables::kStandard)) != 0) return false;
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
        if (is_like(glob, arch, model)) found = true, models.insert(&model);
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
  const auto candidates = members(row.pattern, arch);
  return std::ranges::any_of(later, [&](const CpuRow& other) {
    return other.wanted && std::ranges::any_of(candidates, [&](const std::string& cpuid) {
             return cpu::pattern_matches(arch, other.pattern, cpuid);
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
  if (rows.empty()) return fail(Errc::not_found, "no row of a mapfile leads to these models");
  return rows;
}

}  // namespace evname::tools
