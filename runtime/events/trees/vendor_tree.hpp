#pragma once
// Event files as Intel's perfmon repository ships them: DIR/mapfile.csv, whose rows each lead to
// one file ("/SKX/events/skylakex_core.json", with the type of events in it and, for hybrid CPUs,
// the kind of core), and files of the form {"Header": {…}, "Events": […]}.

#include <optional>
#include <string>
#include <string_view>

#include "events/trees/diagnostics.hpp"
#include "events/trees/json.hpp"
#include "events/trees/tree.hpp"

namespace evname::trees {

/// The models of such a tree, called as the kernel's ("skylakex": what a file's name begins with);
/// nullopt if `root` has another form. Files that are missing are reported.
std::optional<ArchDir> find_vendor_tree(const std::string& root, Diagnostics& diagnostics);

/// The architectures of a tree of any form: the kernel's, Intel's, Arm's (arm_tree.hpp).
std::vector<ArchDir> find_trees(const std::string& root, Diagnostics& diagnostics);

/// Puts what a vendor says elsewhere where the kernel's files say it: the PMU of a hybrid CPU's
/// events, the code and PMU of free-running counters, the PMU of the clock, Arm's codes. `path` is
/// one of the model's.
void to_kernel_form(const ModelDir& model, const std::string& path, JsonFile& file);

/// Does a Filter hold terms? "fc, chnl" and "CHAFilter0[26:17]" tell people which register to
/// write.
bool is_term_list(std::string_view filter);

}  // namespace evname::trees
