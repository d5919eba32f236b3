#include "events/overlay/compile_trees.hpp"

#include <fmt/format.h>

#include "base/build_id.hpp"
#include "events/compiler/build_tables.hpp"
#include "events/tables/registry.hpp"

namespace evname::overlay {
namespace {

constexpr std::size_t kMostWarnings = 20;

/// Writes texts one after the other, so that different lists give different bytes.
class KeyWriter {
 public:
  explicit KeyWriter(std::string_view build) { add(build); }

  KeyWriter& add(std::string_view text) {
    key_ += fmt::format("{} ", text.size());
    key_ += text;
    return *this;
  }
  template <class Texts>
  KeyWriter& add_all(const Texts& texts) {
    add(fmt::format("{}", texts.size()));
    for (const auto& text : texts) add(text);
    return *this;
  }
  std::string take() { return std::move(key_); }

 private:
  std::string key_;
};

/// Returns all inputs of compile() except the contents of the files.
std::string key_of(const Sources& sources, std::string_view build) {
  KeyWriter key(build);
  key.add(sources.model).add(sources.over_known ? "over" : "beside");
  for (const auto& [directory, path] : sources.parts) {
    key.add(path).add(directory.arch).add(directory.path).add_all(directory.standard);
    key.add_all(directory.stray).add_all(directory.left_out);
    for (const trees::ModelDir& model : directory.models) {
      key.add(model.name).add(model.system ? "system" : "").add(model.vendor ? "vendor" : "");
      key.add(model.source).add_all(model.files);
      for (const auto& [file, unit] : model.units) key.add(file).add(unit);
    }
  }
  return key.take();
}

std::vector<std::string> files_of(const Sources& sources) {
  std::vector<std::string> out;
  for (const Sources::Part& part : sources.parts) {
    out.insert(out.end(), part.directory.standard.begin(), part.directory.standard.end());
    for (const trees::ModelDir& model : part.directory.models)
      out.insert(out.end(), model.files.begin(), model.files.end());
  }
  return out;
}

/// Makes the tables of each tree. The diagnostics have the files' contents.
CompiledTrees compile_all(const Sources& sources, trees::Diagnostics diagnostics) {
  CompiledTrees out;
  Layers layers(sources);
  for (const Sources::Part& part : sources.parts) {
    tables::TableArrays arrays =
        compiler::build_tables({&part.directory, 1}, diagnostics, layers.below());
    arrays.directory = part.path;
    out.tables.push_back(std::make_shared<tables::OwnedTables>(std::move(arrays)));
    layers.add(*out.tables.back());
  }
  out.warnings = errors_of(diagnostics);
  return out;
}

}  // namespace

Layers::Layers(const Sources& sources) : model_(sources.model) {
  const tables::ArchTables* const built_in =
      tables::find_architecture(sources.parts.front().directory.arch);
  if (built_in == nullptr) return;
  if (sources.over_known)
    if (const tables::ModelView found = model_named(*built_in, model_)) models_.push_back(found);
  add_standard(*built_in);
}

void Layers::add(const tables::OwnedTables& built) {
  if (const tables::ModelView found = model_named(built.view(), model_))
    models_.insert(models_.begin(), found);
  add_standard(built.view());
}

std::vector<tables::ModelView> Layers::below() const {
  std::vector<tables::ModelView> below = models_;
  below.insert(below.end(), standard_.begin(), standard_.end());
  return below;
}

void Layers::add_standard(const tables::ArchTables& arch) {
  for (const tables::Model& model : arch.models)
    if ((model.flags & tables::kStandard) != 0)
      standard_.insert(standard_.begin(), tables::ModelView(arch, &model));
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

CompiledTrees compile(const Sources& sources, bool is_cached, EventCache& cache) {
  const std::string build = is_cached ? own_build_id() : std::string();
  const TableCache kept(build.empty() ? std::string() : key_of(sources, build), files_of(sources));
  if (auto found = kept.load(); found && found->tables.size() == sources.parts.size()) {
    cache = {CacheUse::read, kept.path()};
    return std::move(*found);
  }
  const auto texts = kept.read_files();
  CompiledTrees compiled = compile_all(sources, trees::Diagnostics(texts));
  if (texts && kept.store(compiled, *texts)) cache = {CacheUse::written, kept.path()};
  return compiled;
}

}  // namespace evname::overlay
