#pragma once
// Tables that a tree is laid over: what they hold goes in before the tree's own entries.

#include <string>

#include "events/compiler/entry.hpp"
#include "events/tables/tables.hpp"

namespace evname::compiler {

/// The part of finished tables that counts: one model, the sys directories, the standard events.
struct BaseTables {
  tables::ArchTables tables;
  std::string model;  ///< its directory in `tables`; "" for none
  std::string as;     ///< what the tree calls it

  /// The directory of the new tables that a model's events go to; "" if they do not count.
  std::string place_of(const tables::Model& model) const;
};

/// An event of finished tables as if it had been read from a file; `index` is one of
/// ArchTables::entries.
Entry entry_of(const tables::ArchTables& tables, const tables::PmuEvents& pmu, std::uint32_t index);

/// Likewise a metric.
Entry entry_of(const tables::ArchTables& tables, const tables::Metric& metric);

}  // namespace evname::compiler
