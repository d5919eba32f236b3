#pragma once
// What all subcommands that read a recording do with it.

#include <optional>
#include <string>
#include <string_view>

#include "cli/command.hpp"
#include "evname/perf_data.hpp"

namespace evname::tools {

/// Opens a recording and tells its warnings and how its machine was matched, where that is a
/// fallback. nullopt: it told why not.
std::optional<PerfData> open_perf_file(const std::string& path);

/// What --salvage might find in what a pass has not read.
enum class Unread { gone, salvageable };

/// Tells the warnings of a pass; the exit code for it.
int finish_pass(const PerfData& file, const SampleTally& tally, Unread unread = Unread::gone);

/// --jobs
void add_jobs(Command& command, unsigned& jobs);

/// From now on a file that another process has shortened ends this process with a message and
/// kUnusable; what is read of the part that went away would else end it by a signal. `path` is of
/// the file that is about to be read.
void watch_for_shortened_files(const std::string& path);

}  // namespace evname::tools
