#include "events/overlay/overlay.hpp"

#include <fmt/format.h>

#include "events/compiler/build_tables.hpp"
#include "events/tables/registry.hpp"

namespace evname::overlay {
namespace {

constexpr std::size_t kMostWarnings = 20;

/// The models of trees that are laid over each other.
class Layers {
 public:
  /// Begins with the models of the build, which are below the sources.
  explicit Layers(const Sources& sources) : model_(sources.model) {
    const tables::ArchTables* const built_in =
        tables::find_architecture(sources.parts.front().directory.arch);
    if (built_in == nullptr) return;
    if (sources.over_known) add_model(*built_in);
    add_standard(*built_in);
  }

  /// Adds the tables of the next tree.
  void add(const tables::ArchTables& arch) {
    add_model(arch);
    add_standard(arch);
  }

  const std::vector<tables::ModelView>& models() const { return models_; }
  /// Returns the models that a tree on top of all these can refer to.
  std::vector<tables::ModelView> below() const {
    std::vector<tables::ModelView> below = models_;
    below.insert(below.end(), standard_.begin(), standard_.end());
    return below;
  }

 private:
  void add_model(const tables::ArchTables& arch) {
    if (const tables::ModelView found = model_named(arch, model_))
      models_.insert(models_.begin(), found);
  }
  void add_standard(const tables::ArchTables& arch) {
    for (const tables::Model& model : arch.models)
      if ((model.flags & tables::kStandard) != 0)
        standard_.insert(standard_.begin(), tables::ModelView(arch, &model));
  }

  const std::string& model_;
  std::vector<tables::ModelView> models_, standard_;  ///< the nearest first
};

}  // namespace

CompiledTrees compile(const Sources& sources) {
  CompiledTrees out;
  trees::Diagnostics diagnostics;
  Layers layers(sources);
  for (const Sources::Part& part : sources.parts) {
    tables::TableArrays arrays =
        compiler::build_tables({&part.directory, 1}, diagnostics, layers.below());
    arrays.directory = part.path;
    out.tables.insert(out.tables.begin(),
                      std::make_shared<const tables::OwnedTables>(std::move(arrays)));
    layers.add(out.tables.front()->view());
  }
  out.models = layers.models();
  out.warnings = errors_of(diagnostics);
  return out;
}

tables::ModelView model_named(const tables::ArchTables& arch, std::string_view name) {
  for (const tables::Model& model : arch.models)
    if (arch.text(model.name) == name) return {arch, &model};
  return {};
}

std::vector<std::string> errors_of(const trees::Diagnostics& diagnostics) {
  std::vector<std::string> out;
  std::size_t count = 0;
  for (const trees::Diagnostic& diagnostic : diagnostics.all()) {
    const bool of_metric = diagnostic.key == "MetricName" || diagnostic.key == "MetricExpr";
    if (diagnostic.severity != trees::Severity::error && !of_metric) continue;
    if (++count <= kMostWarnings) out.push_back(diagnostics.text(diagnostic));
  }
  if (count > out.size()) out.push_back(fmt::format("{} more of these", count - out.size()));
  return out;
}

}  // namespace evname::overlay
