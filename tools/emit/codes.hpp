#pragma once
// What is emitted, in whichever language: the codes of each model, and the CPUs they are for.

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emit/cpus.hpp"

namespace evname::tools {

/// One event on one PMU of a model.
struct EmittedCode {
  std::string_view event;  ///< as it was asked for
  std::string pmu;
  std::optional<std::uint32_t> type;  ///< nullopt: only the machine knows it
  std::array<std::uint64_t, 4> config{};
  std::string
      error;  ///< why there is no code, for want of the event if there is no PMU; else empty
};

struct EmittedModel {
  std::string_view arch, name;
  std::vector<EmittedCode> codes;  ///< at least one for each event
};

struct EmittedCpu {
  std::string_view arch, pattern, model;
  const EmittedModel* codes;  ///< nullptr: not asked for, but before a row that its CPUs match, too
};

/// Views point into the build's tables and the list of events.
struct Emitted {
  std::vector<EmittedModel> models;
  std::vector<EmittedCpu> cpus;
  std::string command;  ///< which makes it again, without control characters
};

/// Appends the events of a list as perf's -e takes it, those that are not there yet. Errors:
/// invalid_argument for what has no place in a table of codes: groups, modifiers, breakpoints, what
/// perf measures itself.
Result<void> add_events(const std::string& list, std::vector<std::string>& events);

/// All events on all models of the rows. An event that a model lacks has a code with `error`.
Emitted emit_codes(const std::vector<CpuRow>& rows, const std::vector<std::string>& events);

}  // namespace evname::tools
