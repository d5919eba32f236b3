#pragma once
// Names that stand for a term list: from a table or from sysfs, and which of them counts.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "events/machine/state.hpp"
#include "events/packing/packer.hpp"
#include "events/syntax/kernel_names.hpp"

namespace evname::machine {

/// One alias on one PMU. At least one of `event`, `sysfs` and `legacy` is set; if both of the first
/// are, the table's terms and description count, and the file's scale and unit unless the table
/// gives some.
struct Alias {
  tables::ModelView model;
  const tables::Event* event = nullptr;
  const pmu::SysfsEvent* sysfs = nullptr;
  std::optional<syntax::LegacyCode> legacy = {};  ///< alone: a generic event of a core PMU

  explicit operator bool() const { return event != nullptr || sysfs != nullptr || legacy; }
  Source source() const {
    if (event != nullptr) return Source::table;
    return sysfs != nullptr && !sysfs->implied ? Source::sysfs : Source::kernel;
  }
};

/// perf's choice for that name on that PMU: system tables, then sysfs overlaid by the model's
/// tables, then the model's tables, then what the architecture itself defines, then the generic
/// events of core PMUs. Any case; a sysfs file counts only if its own name is all lower or all
/// upper case. Empty if the PMU has no such event.
Alias find_alias(const BoundPmu& bound, std::string_view name);

/// The file of events/ that perf would open for this name; nullptr if there is none.
const pmu::SysfsEvent* find_sysfs_event(const pmu::Pmu& pmu, std::string_view name);

/// Can this sysfs event be named at all?
bool can_be_named(const pmu::SysfsEvent& event);

std::string alias_name(const Alias& alias);  ///< lower case; of `event` or `sysfs`
std::string alias_terms_text(const Alias& alias);

/// Appends the alias's terms; those of a sysfs file are parsed into `storage`, which must outlive
/// them and not grow afterwards. Errors: the file's text is no term list.
Result<void> append_terms(const Alias& alias, std::vector<packing::PackTerm>* terms,
                          std::vector<syntax::Term>* storage);

/// The encoding of the alias alone.
Result<packing::Packed> pack(const BoundPmu& bound, const Alias& alias);

/// "64Bytes" as a factor and a unit. Without a leading number the factor is 1.
struct ScaleUnit {
  double scale = 1.0;
  std::string_view unit;  ///< a view of the text
};
ScaleUnit parse_scale_unit(std::string_view text);
ScaleUnit scale_unit(const Alias& alias);

}  // namespace evname::machine
