#pragma once
// What a Machine holds. Built once, then only read.

#include <memory>
#include <optional>
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

namespace evname::machine {

class EventLookup;
class CodeIndex;
class TracepointIndex;

/// An event of a table other than the machine's model.
struct OtherEvent {
  tables::ModelView model;
  const tables::PmuEvents* list;
  const tables::Event* event;
};

/// A PMU and the tables that serve it. It must not be moved after packer() has been called.
struct BoundPmu {
  pmu::Pmu pmu;
  tables::ModelView model;                       ///< may be empty
  std::vector<const tables::PmuEvents*> tables;  ///< the model's event lists that serve this PMU
  std::vector<OtherEvent> system;  ///< of sys/ directories, where Compat fits the identifier
  std::vector<OtherEvent> common;  ///< that every CPU of the architecture has, less the model's
  /// One of several core PMUs: a generic code has the PMU's type in its upper half
  /// (PERF_PMU_TYPE_SHIFT of perf_event.h).
  bool is_extended = false;

  /// Made when it is first asked for. Thread-safe.
  const packing::Packer& packer() const {
    return packer_->get([this] { return make_packer(); });
  }

 private:
  packing::Packer make_packer() const;

  std::unique_ptr<Lazy<packing::Packer>> packer_ = std::make_unique<Lazy<packing::Packer>>();
};

/// Where the numbers of tracepoints come from.
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
  std::shared_ptr<const tables::OwnedTables> overlay;  ///< tables read at run time; mostly none
  cpu::ModelMatch built_in;                            ///< what `match` was without `overlay`
  std::vector<std::shared_ptr<const overlay::Tree>> trees;  ///< what `overlay` was read from
  std::vector<tables::CpuFacts> facts;                      ///< of `trees`, then the build's own
  std::vector<EventDirectory> laid;                         ///< of `trees`, the last first
  std::vector<machine::BoundPmu> pmus;                      ///< perf's order: core first
  std::vector<std::string> warnings;
  /// CPU numbers of the machine are below that.
  std::uint64_t present_cpus = ~std::uint64_t{0};
  machine::TracepointSource tracepoints;
  std::shared_ptr<machine::TracepointIndex> tracepoint_index;
  std::shared_ptr<machine::CodeIndex> index;  ///< code to name, one part for each of `pmus`

  MachineState();
  ~MachineState();
  /// Made when it is first asked for. Thread-safe.
  const machine::EventLookup& lookup() const;

 private:
  Lazy<machine::EventLookup> lookup_;
};

}  // namespace evname::detail

namespace evname::machine {

/// Binds the PMUs, and those that perf has on every machine, to the machine's model (or, where a
/// PMU has a CPUID of its own and the model was not named by the caller, to the one of that CPUID)
/// and prepares the index of names. state.cpu and state.match are set before.
void bind_pmus(std::vector<pmu::Pmu> pmus, detail::MachineState* state);

/// Returns all tables of the machine's architecture, with its system models; nullptr if there are
/// none.
const tables::ArchTables* architecture_of(const detail::MachineState& state);

}  // namespace evname::machine

namespace evname {

/// Makes a machine of what a recording says: HEADER_ARCH, HEADER_CPUID, the PMU features, and which
/// number each tracepoint has there.
Machine recorded_machine(std::string_view header_arch, std::string_view header_cpuid,
                         const pmu::RecordedPmus& recorded,
                         std::vector<std::pair<std::uint64_t, std::string>> tracepoints = {},
                         UserEvents user_events = UserEvents::leave_out);

}  // namespace evname
