#pragma once
// Reads event files of Intel's perfmon repository: DIR/mapfile.csv, whose rows each lead to one
// file ("/SKX/events/skylakex_core.json", with the type of events in it and, for hybrid CPUs, the
// kind of core), and files of the form {"Header": {…}, "Events": […]}.

#include <optional>
#include <string>
#include <string_view>

#include "events/trees/diagnostics.hpp"
#include "events/trees/json.hpp"
#include "events/trees/tree.hpp"

namespace evname::trees {

/// Finds the models of such a tree under the kernel's names ("skylakex", as a file's name begins).
/// Returns nullopt if `root` has another form. Files that are missing are reported.
std::optional<ArchDir> find_vendor_tree(const std::string& root, Diagnostics& diagnostics);

/// Finds the architectures of a tree of any form: the kernel's, Intel's or Arm's.
std::vector<ArchDir> find_trees(const std::string& root, Diagnostics& diagnostics);

/// Moves a vendor's facts to the kernel's keys: the PMU of a hybrid CPU's events, the code and PMU
/// of free-running counters, the PMU of the clock, Arm's codes. `path` is one of the model's, and
/// `file` gets new texts.
void to_kernel_form(const ModelDir& model, const std::string& path, Object& object, JsonFile& file);

/// Returns true if a Filter holds terms. "fc, chnl" and "CHAFilter0[26:17]" are for people: they
/// name a register to write.
bool is_term_list(std::string_view filter);

}  // namespace evname::trees
