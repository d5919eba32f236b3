#pragma once
// Prints the overview that `evname report` shows by default: the events, and the functions with
// most samples of the main event.

#include <span>
#include <string>

#include "evname/report.hpp"
#include "report/table.hpp"

namespace evname::tools {

/// Returns true if an event of the recording samples addresses, so that functions have samples.
bool samples_addresses(const Recording& file);

/// Tells what samples have that the overview does not show, and the options that show it.
void tell_unshown(std::span<const Recording> files);

/// Prints a table of events and a table of functions, and a note that tells how to get more rows.
/// `report` has rows by event and sym, as `of` says; `words` are the arguments of this call.
void print_overview(const Report& report, const TableKeys& of, std::span<const std::string> words);

}  // namespace evname::tools
