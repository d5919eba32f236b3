#pragma once
// Makes the tables of a CPU's trees, one tree after the other.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "events/tables/arrays.hpp"
#include "events/tables/model_view.hpp"
#include "events/trees/diagnostics.hpp"
#include "events/trees/tree.hpp"

namespace evname::overlay {

/// The trees of a CPU, lowest first, and the inputs of their tables.
struct Sources {
  struct Part {
    trees::ArchDir directory;  ///< its only model is the CPU's, named `model`
    std::string path;          ///< of its tree
  };
  std::string model;
  bool over_known;  ///< the build has the model
  std::vector<Part> parts;
};

struct CompiledTrees {
  std::vector<std::shared_ptr<const tables::OwnedTables>> tables;  ///< the latest tree's first
  /// The models of the CPU, the latest first, and last the one of the build if it has the model.
  std::vector<tables::ModelView> models;
  std::vector<std::string> warnings;
};

/// Makes the tables of all sources.
CompiledTrees compile(const Sources& sources);

/// Returns an architecture's model of that name; an empty view if it has none.
tables::ModelView model_named(const tables::ArchTables& arch, std::string_view name);

/// Returns the reports of parts that are left out: errors, and metrics that are duplicate or depend
/// on themselves.
std::vector<std::string> errors_of(const trees::Diagnostics& diagnostics);

}  // namespace evname::overlay
