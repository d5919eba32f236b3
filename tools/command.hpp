#pragma once
// What every subcommand has: its options, and a function that runs it.

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace evname::tools {

/// Exit codes of the command.
enum Exit : int {
  kDone = 0,
  kPartial = 1,   ///< it ran, but part of the answer is missing
  kUnusable = 2,  ///< unusable input or arguments
};

/// Adds a subcommand to the application; `run` is set to what it does if it is chosen.
using Run = std::function<int()>;
using AddCommand = void (*)(CLI::App& app, Run& run);

void add_annotate(CLI::App& app, Run& run);
void add_cpu(CLI::App& app, Run& run);
void add_diff(CLI::App& app, Run& run);
void add_emit(CLI::App& app, Run& run);
void add_import(CLI::App& app, Run& run);
void add_info(CLI::App& app, Run& run);
void add_inject(CLI::App& app, Run& run);
void add_list(CLI::App& app, Run& run);
void add_metrics(CLI::App& app, Run& run);
void add_name(CLI::App& app, Run& run);
void add_report(CLI::App& app, Run& run);
void add_resolve(CLI::App& app, Run& run);
void add_schedule(CLI::App& app, Run& run);
void add_show(CLI::App& app, Run& run);
void add_stat(CLI::App& app, Run& run);

}  // namespace evname::tools
