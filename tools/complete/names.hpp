#pragma once
// Names of a machine and of this build.

#include <string>
#include <string_view>

#include "complete/answer.hpp"
#include "machine_options.hpp"

namespace evname::tools {

/// The models of --cpu.
std::vector<Candidate> model_names();

/// Names of events that go on as typed (any case), for the last item of an event list: behind the
/// last comma or brace outside slashes. Nothing where modifiers or terms are typed.
std::vector<Candidate> event_names(const MachineOptions& options, std::string_view typed);

/// Names of PMUs.
std::vector<Candidate> pmu_names(const MachineOptions& options);

}  // namespace evname::tools
