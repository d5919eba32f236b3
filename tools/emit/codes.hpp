#pragma once
// The data of `evname emit` in any language: the rows of the mapfiles, and the codes of their
// models.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "events/cpu/find_model.hpp"
#include "evname/error.hpp"
#include "evname/machine.hpp"

namespace evname::tools {

/// One row of a mapfile. The first row that matches a CPU counts.
struct CpuRow : cpu::CpuPattern {
  /// False: the row is only there because it takes CPUs from a later wanted row.
  bool wanted;
};

/// The rows of all models that a glob ("skylake*", "arm/*", "neoverse-*") fits, or that a CPUID
/// string or code name means. Errors: not_found for one that means none.
Result<std::vector<CpuRow>> cpu_rows(std::span<const std::string> globs,
                                     UserEvents user_events = UserEvents::leave_out);

/// One event on one PMU of a model.
struct EmittedCode {
  std::string_view event;  ///< as in the request
  std::string pmu;
  std::optional<std::uint32_t> type;  ///< nullopt: only the machine knows it
  std::array<std::uint64_t, 4> config{};
  std::string error;  ///< why there is no code; the model lacks the event if there is no PMU, too
};

struct EmittedModel {
  std::string_view arch, name;
  std::vector<EmittedCode> codes;  ///< at least one for each event
};

struct EmittedCpu {
  std::string_view arch, pattern, model;
  const EmittedModel* codes;  ///< nullptr: the row only keeps its CPUs from matching a later row
};

/// Views point into the build's tables and the list of events.
struct Emitted {
  std::vector<EmittedModel> models;
  std::vector<EmittedCpu> cpus;
  std::string command;  ///< for making it again, without control characters
};

/// Appends the events of a list in the syntax of perf's -e, without duplicates. Errors:
/// invalid_argument for groups, modifiers, breakpoints and perf's own events, which don't fit in a
/// table of codes.
Result<void> add_events(const std::string& list, std::vector<std::string>& events);

/// All events on all models of the rows. An event that a model lacks has a code with `error`.
Emitted emit_codes(const std::vector<CpuRow>& rows, const std::vector<std::string>& events);

}  // namespace evname::tools
