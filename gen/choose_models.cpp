#include "gen/choose_models.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/glob.hpp"
#include "base/nearest_names.hpp"
#include "base/text.hpp"
#include "events/tables/tables.hpp"

namespace evname::gen {
namespace {

constexpr std::size_t kLongestGlob = 128;  // longer ones are not misspelled models

using Groups = std::vector<std::vector<trees::ArchDir>>;

std::string full_name(const trees::ArchDir& arch, const trees::ModelDir& model) {
  return arch.arch + "/" + model.name;
}

/// Returns the models that have files; a directory with only directories is not a model.
std::set<std::string> all_models(const Groups& groups) {
  std::set<std::string> names;
  for (const auto& trees : groups)
    for (const trees::ArchDir& arch : trees)
      for (const trees::ModelDir& model : arch.models)
        if (!model.files.empty()) names.insert(full_name(arch, model));
  return names;
}

bool matches_any(std::span<const std::string> globs, const std::string& name) {
  return std::any_of(globs.begin(), globs.end(),
                     [&](const std::string& glob) { return glob_match(glob, name); });
}

/// Returns the distance of a model from the glob. Names that begin with it, resemble it, or end
/// like it without the architecture are near.
std::size_t distance(std::string_view glob, const std::string& model) {
  if (model.starts_with(glob) && !glob.empty()) return 0;
  return std::min(edit_distance(glob, model), edit_distance(last_part(glob), last_part(model)) + 1);
}

std::string near_models(const std::set<std::string>& models, std::string_view glob) {
  if (glob.size() > kLongestGlob) return {};
  NearestNames near;
  for (const std::string& model : models)
    if (const std::size_t edits = distance(glob, model); edits <= glob.size() / 3 + 1)
      near.offer(edits, model);
  return near.hint();
}

bool has_chosen_model(const std::vector<trees::ArchDir>& trees,
                      std::span<const std::string> globs) {
  for (const trees::ArchDir& arch : trees)
    for (const trees::ModelDir& model : arch.models)
      if (!model.system && !model.files.empty() && matches_any(globs, full_name(arch, model)))
        return true;
  return false;
}

void choose(std::span<const std::string> globs, std::vector<trees::ArchDir>* trees) {
  const bool keep_system = has_chosen_model(*trees, globs);
  for (trees::ArchDir& arch : *trees) {
    std::vector<trees::ModelDir> kept;
    for (trees::ModelDir& model : arch.models) {
      if (model.files.empty()) continue;
      const bool of_all = arch.arch == tables::kCommonName;  // every choice needs it
      if (of_all || (model.system && keep_system) || matches_any(globs, full_name(arch, model)))
        kept.push_back(std::move(model));
      else
        arch.left_out.push_back(std::move(model.name));
    }
    arch.models = std::move(kept);
  }
}

bool has_no_model(const std::vector<trees::ArchDir>& trees) {
  return std::all_of(trees.begin(), trees.end(),
                     [](const trees::ArchDir& arch) { return arch.models.empty(); });
}

}  // namespace

Result<void> choose_models(std::span<const std::string> globs, Groups* groups) {
  if (globs.empty()) return {};
  const std::set<std::string> models = all_models(*groups);
  for (const std::string& glob : globs)
    if (std::none_of(models.begin(), models.end(),
                     [&](const std::string& model) { return glob_match(glob, model); }))
      return fail(Errc::not_found, "no model matches '" + glob + "'", {},
                  near_models(models, glob));
  for (auto& trees : *groups) choose(globs, &trees);
  std::erase_if(*groups, has_no_model);
  return {};
}

}  // namespace evname::gen
