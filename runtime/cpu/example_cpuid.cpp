// sample_cpuid: a member of the set that a mapfile pattern describes. The few operators that
// mapfiles use are expanded with one choice each; whether the result is right is then asked of
// pattern_matches, so a construct unknown here costs a sample, never a wrong one.

#include <algorithm>
#include <optional>

#include "cpu/match.hpp"
#include "cpu/pattern_members.hpp"

namespace evname::cpu {
namespace {

bool belongs_to(const tables::ModelView& view, std::string_view cpuid) {
  const tables::ArchTables& arch = view.arch();
  for (const tables::MapRow& row : arch.map_rows)
    if (pattern_matches(arch.arch, arch.text(row.pattern), cpuid))
      return row.model < arch.models.size() && &arch.models[row.model] == view.model;
  return false;
}

std::optional<std::string> sample_of(const tables::ModelView& view, std::string_view pattern) {
  constexpr int kAttempts = 1024;
  if (pattern.size() > 256) return std::nullopt;
  Choices choices;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    auto candidate = expand(pattern, choices);
    if (!candidate || candidate->size() > 63) return std::nullopt;
    const bool x86 = view.arch().arch == "x86";
    if (x86 && std::count(candidate->begin(), candidate->end(), '-') == 2) *candidate += "-0";
    if (belongs_to(view, *candidate)) return candidate;
    if (!choices.advance()) break;
  }
  return std::nullopt;
}

}  // namespace

std::string sample_cpuid(const tables::ModelView& view) {
  if (!view) return {};
  for (const tables::MapRow& row : view.arch().map_rows) {
    if (row.model >= view.arch().models.size()) continue;
    if (&view.arch().models[row.model] != view.model) continue;
    if (const auto sample = sample_of(view, view.arch().text(row.pattern))) return *sample;
  }
  return {};
}

}  // namespace evname::cpu
