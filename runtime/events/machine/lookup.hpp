#pragma once
// Finds the PMUs with an event name, and the terms that it stands for.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "events/machine/machine_state.hpp"
#include "events/packing/packer.hpp"
#include "events/syntax/kernel_names.hpp"

namespace evname::machine {

/// An alias on one PMU. At least one of `event`, `sysfs` and `legacy` is set. With both `event` and
/// `sysfs`, the table's terms and description count, and the file's scale and unit unless the table
/// has them.
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

/// Returns perf's choice for that name on that PMU: system tables, then sysfs overlaid by the
/// model's tables, then the model's tables, then the architecture's events, then the generic events
/// of core PMUs. Any case; a sysfs file counts only if its own name is all lower or all upper case.
/// Empty if the PMU has no such event.
Alias find_alias(const BoundPmu& bound, std::string_view name);

/// Returns the text with ASCII letters in upper case.
std::string to_upper(std::string_view text);
/// Returns the file of events/ that perf would open for this name; nullptr if there is none.
const pmu::SysfsEvent* find_sysfs_event(const pmu::Pmu& pmu, std::string_view name);

/// Returns false if no name resolves to this sysfs event.
bool can_be_named(const pmu::SysfsEvent& event);

std::string alias_name(const Alias& alias);  ///< lower case; of `event` or `sysfs`
std::string alias_terms_text(const Alias& alias);

/// Appends the alias's terms. Errors: the text of a sysfs file is not a term list.
Result<void> append_terms(const Alias& alias, std::vector<tables::Term>* terms);

/// Packs the alias alone.
Result<packing::Packed> pack(const BoundPmu& bound, const Alias& alias);

/// Returns the driver's events with these words, by name. For PMUs that a machine may have, which
/// have no index.
std::vector<const pmu::SysfsEvent*> driver_events(const BoundPmu& bound, const ConfigWords& words);

/// A factor and a unit: 64 and "Bytes" of "64Bytes". Without a leading number the factor is 1.
struct ScaleUnit {
  double scale = 1.0;
  std::string_view unit;  ///< a view of the text
};
ScaleUnit parse_scale_unit(std::string_view text);
ScaleUnit scale_unit(const Alias& alias);

}  // namespace evname::machine

namespace evname::machine {

/// Finds the PMUs that have an event: by one hash of the name, for any number of PMUs, if only the
/// model's tables have it. Made once for a machine, whose state outlives it and does not change.
class EventLookup {
 public:
  explicit EventLookup(const detail::MachineState& state);

  /// A model and, for each of its event lists, the PMUs it serves.
  struct Served {
    tables::ModelView model;
    std::vector<std::vector<std::uint16_t>> pmus;
  };

  /// The PMUs that have an event, in perf's order, and the alias that counts on each.
  class Found {
   public:
    std::size_t size() const { return general_.empty() ? size_ : general_.size(); }
    const BoundPmu& pmu(std::size_t i) const;
    Alias alias(std::size_t i) const;

   private:
    friend class EventLookup;
    struct Hit {
      std::uint16_t pmu;
      const Served* served;
      const tables::Event* event;
    };
    /// Leaves out an event of a later model than the PMU's hit. Returns false if there are too many
    /// for hits_, or two of one model on a PMU.
    bool add(const Hit& hit);

    explicit Found(const detail::MachineState& state) : state_(state) {}

    const detail::MachineState& state_;
    std::array<Hit, 64> hits_{};
    std::size_t size_ = 0;
    std::vector<std::pair<const BoundPmu*, Alias>> general_;  // instead of hits_
  };

  /// Finds the name in any case. `hash` is its name_hash, 0 if unknown; it is known only for names
  /// that are not generic events. Allocates nothing for a name of the tables.
  Found find(std::string_view name, std::uint32_t hash) const;

 private:
  void add_tables();
  bool find_in_tables(std::string_view name, std::uint32_t hash, Found& found) const;

  const detail::MachineState& state_;
  std::vector<Served> served_;
  std::vector<std::uint32_t> others_;  ///< sorted hashes of names that not only the tables have
};

/// Returns the index of the PMU of that name, or of the built-in PMU that stands for a box of that
/// name. nullopt if the machine has neither.
std::optional<std::size_t> pmu_of_name(const detail::MachineState& state, std::string_view name);

/// Returns the type of a code; raw, the core PMU's, if it has none.
inline std::uint32_t type_of(const Code& code) {
  return code.has_type != 0 ? code.type : std::uint32_t{kTypeRaw};
}

/// Returns the index of the PMU that counts codes of this type; raw codes: the core PMU of type 4,
/// else the first core PMU. nullopt if the machine has none.
std::optional<std::size_t> pmu_of_type(const detail::MachineState& state, std::uint32_t type);

/// Returns the code of PERF_COUNT_HW_… number `hardware` on core PMU number `pmu` of state.pmus
/// (generic-events.csv); nullopt if unknown.
std::optional<std::uint64_t> core_code(const detail::MachineState& state, std::size_t pmu,
                                       std::uint64_t hardware);

}  // namespace evname::machine
