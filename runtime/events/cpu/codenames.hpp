#pragma once
// Other names of models: the kernel's pmu_name capability, short names ("skx"), compilers' -mcpu,
// product lines.

#include <span>
#include <string>
#include <string_view>

namespace evname::cpu {

/// Lower case, without `_`, `-` and spaces: what names are compared by.
std::string bare_name(std::string_view name);

struct NameRow {
  std::string_view name;  ///< as bare_name() spells it
  std::string_view directory;
};

/// All rows, for tests to hold against the tables.
std::span<const NameRow> capability_rows();
std::span<const NameRow> short_name_rows();
std::span<const NameRow> codename_rows();

/// The directory that a pmu_name capability means where the two differ; else "".
std::string_view directory_of_capability(std::string_view pmu_name);

/// The directory ("skylakex", "arm/neoverse-n1") that a short name or a codename means; "" if it is
/// none.
std::string_view directory_of_codename(std::string_view name);

}  // namespace evname::cpu
