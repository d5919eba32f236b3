#pragma once
// Finds the model of the tables for a CPUID string, a PMU capability or a name.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/tables/cpu_facts.hpp"
#include "events/tables/model_view.hpp"
#include "evname/encoding.hpp"

namespace evname::cpu {

/// Returns the name in lower case, without `_`, `-` and spaces, for comparisons.
std::string bare_name(std::string_view name);

/// A model and how it was found; `model` is empty and `matched_by` none if nothing fits.
struct ModelMatch {
  tables::ModelView model;
  MatchedBy matched_by = MatchedBy::none;
  std::string note;  ///< A sentence if the answer is a fallback; else empty.
};

/// A model, and the CPU with the name: several CPUs may share a directory.
struct NamedModel {
  tables::ModelView model;
  std::string_view cpuid;  ///< a CPUID string; empty: the name means all CPUs of the directory

  explicit operator bool() const { return static_cast<bool>(model); }
};

/// Returns the model of the first matching mapfile row; else the model for `pmu_name` (the
/// capability, or the name of an Arm core PMU; may be empty); else the architecture's standard
/// events; else none.
ModelMatch match_model(std::string_view arch, std::string_view cpuid, std::string_view pmu_name);

/// These search given tables; match_model above and find_model and near_models below search the
/// build's tables.
ModelMatch match_model(const tables::ArchTables& arch, std::string_view cpuid,
                       std::string_view pmu_name,
                       tables::FactLayers facts = tables::built_in_facts());
NamedModel find_model(std::span<const tables::ArchTables> all, std::string_view name,
                      tables::FactLayers facts = tables::built_in_facts());
std::vector<std::string> near_models(std::span<const tables::ArchTables> all, std::string_view name,
                                     std::size_t count);

/// Returns true if the name of a PMU contains its CPU: "armv8_cortex_a72", not "armv8_pmuv3_0".
bool is_arm_cpu(std::string_view pmu);

/// Returns a model by directory ("skylakex", "arm/neoverse-n1", "x86/skylakex"), its last part
/// ("neoverse-n1"), short name ("n1"), codename or core PMU ("armv8_cortex_a72"), any case, `_` and
/// `-` alike. Returns an empty view if there is none.
NamedModel find_model(std::string_view name);

/// A CPU as it is sold: "Core i9-13900K". Without model and CPUID string there are no tables of it.
struct Product {
  std::string_view model;  ///< its directory, "alderlake"; may be empty
  std::string_view cpuid;  ///< of a CPU that shares its directory, or has no tables; may be empty
  std::string_view note;   ///< a sentence about the choice of several models, or why there is none
};

/// Returns a name on the box or in /proc/cpuinfo without marks, makers and clock: "corei913900k" of
/// "13th Gen Intel(R) Core(TM) i9-13900K CPU @ 3.00GHz".
std::string bare_product(std::string_view name);

/// Returns the first row of products.csv that fits the bare name.
std::optional<Product> find_product(std::string_view bare, tables::FactLayers facts);

/// Returns products that may be meant, nearest first, at most `count`: with a series ("xeon")
/// before the name, or without it; if there are none, with one character more, less or in another
/// place; if there are none, with one other digit.
std::vector<std::string> near_products(std::string_view name, std::size_t count,
                                       tables::FactLayers facts);

/// Returns names of models (directories, short names, codenames) close to `name`, nearest first, at
/// most `count`.
std::vector<std::string> near_models(std::string_view name, std::size_t count);

/// A row of a mapfile: CPUs whose CPUID string matches the pattern have this model.
struct CpuPattern {
  std::string_view arch;     ///< "x86"
  std::string_view pattern;  ///< "GenuineIntel-6-55-[01234]"
  std::string_view model;    ///< ModelInfo::name
  std::string_view version;  ///< version of the event data, as its makers number it: "v1.35"
  /// Indexes of later rows, among all rows, whose patterns match CPUs that this row already
  /// matches.
  std::vector<std::size_t> takes_from = {};
};

/// Returns all rows, by architecture and in the order of its mapfile. The first match counts.
std::vector<CpuPattern> cpu_patterns();

}  // namespace evname::cpu
