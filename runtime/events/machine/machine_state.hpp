#pragma once
// The state of a Machine, which is built once and then only read.

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/access.hpp"
#include "base/lazy.hpp"
#include "events/cpu/find_model.hpp"
#include "events/packing/packer.hpp"
#include "events/pmu/builtin.hpp"
#include "events/pmu/pmu.hpp"
#include "evname/machine.hpp"

namespace evname::detail {
struct MachineState;
}

namespace evname::tables {
class OwnedTables;
}

namespace evname::overlay {
class Tree;
}

namespace evname::pfm4 {
struct Pmu;
}

namespace evname::machine {

class EventLookup;
class CodeIndex;
class TracepointIndex;

/// The events of a model that serve a PMU: one list of its tables.
struct EventList {
  tables::ModelView model;
  const tables::PmuEvents* list;
};

/// An event of a table outside of the machine's models.
struct OtherEvent {
  tables::ModelView model;
  const tables::PmuEvents* list;
  const tables::Event* event;
};

/// A PMU and the tables that serve it. It must not be moved after packer() has been called.
struct BoundPmu {
  pmu::Pmu pmu;
  std::vector<tables::ModelView> models;  ///< if several have an event, the first counts
  std::vector<EventList> tables;   ///< lists of `models`, in their order, that serve this PMU
  std::vector<OtherEvent> system;  ///< of sys/ directories, if Compat fits the identifier
  std::vector<OtherEvent> common;  ///< of every CPU of the architecture, less the model's
  /// True if the PMU is one of several core PMUs. A generic code then has its type in the upper
  /// half (PERF_PMU_TYPE_SHIFT of perf_event.h).
  bool is_extended = false;

  /// Returns the first model; an empty view if there is none.
  tables::ModelView model() const { return models.empty() ? tables::ModelView() : models.front(); }
  /// Returns true if the list is one of `tables`.
  bool has(const tables::PmuEvents* list) const {
    for (const EventList& one : tables)
      if (one.list == list) return true;
    return false;
  }
  /// Calls fn(model, event) for each event of `tables` that no model before its own replaces.
  template <class Fn>
  void for_each_event(Fn&& fn) const;
  /// Returns the packer; makes it on first use. Thread-safe.
  const packing::Packer& packer() const {
    return packer_->get([this] { return make_packer(); });
  }

 private:
  packing::Packer make_packer() const;

  std::unique_ptr<Lazy<packing::Packer>> packer_ = std::make_unique<Lazy<packing::Packer>>();
};

/// The source of the numbers of tracepoints.
struct TracepointSource {
  enum class From : std::uint8_t { nowhere, tracefs, recording };
  From from = From::nowhere;
  std::string tracefs;                                          ///< directory that holds events/
  std::vector<std::pair<std::uint64_t, std::string>> recorded;  ///< id, "system:event"
};

}  // namespace evname::machine

namespace evname::detail {

struct MachineState {
  CpuInfo cpu;
  cpu::ModelMatch match;
  std::vector<tables::ModelView> models;  ///< if several have an event, the first counts
  /// Tables read at run time, the latest first; usually there are none.
  std::vector<std::shared_ptr<const tables::OwnedTables>> overlay;
  cpu::ModelMatch built_in;                                 ///< `match` without `overlay`
  std::vector<std::shared_ptr<const overlay::Tree>> trees;  ///< sources of `overlay`
  std::vector<tables::CpuFacts> facts;                      ///< of `trees`, then the build's own
  std::vector<EventDirectory> directories;                  ///< of `trees`, the last first
  std::vector<machine::BoundPmu> pmus;                      ///< perf's order: core first
  std::vector<std::string> warnings;
  /// The machine's CPUs have numbers below this.
  std::uint64_t present_cpus = ~std::uint64_t{0};
  machine::TracepointSource tracepoints;
  std::shared_ptr<machine::TracepointIndex> tracepoint_index;
  std::shared_ptr<machine::CodeIndex> index;  ///< code to name, one part for each of `pmus`

  MachineState();
  ~MachineState();
  /// Returns the index of names; makes it on first use. Thread-safe.
  const machine::EventLookup& lookup() const;
  /// Returns the PMUs in addition to `pmus` that drivers may make on a CPU that is only named. They
  /// are made only if a name is not found elsewhere, so that other names stay fast. Thread-safe.
  const std::vector<machine::BoundPmu>& possible_pmus() const;

  /// Returns a copy of a box's name that lives as long as the machine; nullopt if there are too
  /// many. Thread-safe.
  std::optional<std::string_view> box(std::string_view name) const;

  Lazy<std::vector<const pfm4::Pmu*>>
      pfm4_pmus;  ///< PMUs of libpfm4 that the machine has: pfm4_pmus()

 private:
  Lazy<machine::EventLookup> lookup_;
  Lazy<std::vector<machine::BoundPmu>> possible_pmus_;
  mutable std::mutex boxes_mutex_;
  mutable std::set<std::string, std::less<>> boxes_;
};

}  // namespace evname::detail

namespace evname::machine {

/// Binds the PMUs, and perf's own PMUs, to the machine's models and prepares the index of names. A
/// PMU with its own CPUID is bound to that CPUID's model, unless the caller named the model.
/// state.cpu, match and models must be set before.
void bind_pmus(std::vector<pmu::Pmu> pmus, detail::MachineState* state);

/// Makes MachineState::possible_pmus().
std::vector<BoundPmu> possible_pmus(const detail::MachineState& state);

/// Returns all tables of the machine's architecture, with their system models: first the tables
/// read at run time, then the build's.
std::vector<const tables::ArchTables*> architectures_of(const detail::MachineState& state);

template <class Fn>
void BoundPmu::for_each_event(Fn&& fn) const {
  std::size_t before = 0;  // models that come before the list's model
  for (const auto& [model, list] : tables) {
    while (models[before].model != model.model) ++before;
    const std::string_view pmu_name = model.arch().text(list->pmu);
    for (std::size_t i = 0; i < list->count; ++i) {
      const evname::tables::Event& event = model.event(*list, i);
      if (before == 0 || !evname::tables::has_event(std::span(models).first(before), pmu_name,
                                                    model.arch().text(event.name)))
        fn(model, event);
    }
  }
}

}  // namespace evname::machine

namespace evname {

/// Makes a machine from the facts in a recording: HEADER_ARCH, HEADER_CPUID or, if that is missing,
/// HEADER_CPUDESC, the PMU features, and the numbers of its tracepoints.
Machine recorded_machine(std::string_view header_arch, std::string_view header_cpuid,
                         const pmu::RecordedPmus& recorded,
                         std::vector<std::pair<std::uint64_t, std::string>> tracepoints = {},
                         UserEvents user_events = UserEvents::leave_out,
                         std::string_view header_cpudesc = {});

}  // namespace evname
