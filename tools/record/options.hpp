#pragma once
// The options of `evname record`.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "evname/recorder.hpp"

namespace evname::tools {

/// The condition for starting the next file.
struct SwitchRule {
  bool on_signal = false;               ///< SIGUSR2
  std::uint64_t bytes = 0;              ///< 0: whatever its size
  std::chrono::milliseconds time = {};  ///< 0: no limit
};

/// The parts of traces to record.
struct SnapshotRule {
  bool at_end = false;      ///< also record the newest part at the end
  std::uint64_t bytes = 0;  ///< the most of each area; 0: the whole area
};

struct RecordArguments {
  std::vector<std::string> events, metrics, command;
  std::string frequency, call_graph, cpus, pids, tids, cgroup, user, output = "perf.data";
  std::vector<Option::Placed> filters;  ///< "": of --exclude-perf
  std::string branches, clock, max_size, html, delay, switch_output, compression, pages;
  std::string control, threads, snapshot, aux_sample, existing;
  std::uint64_t period = 0;
  unsigned timeout = 0, max_stack = 0, topdown_level = 0;
  unsigned most_files = 0, priority = 0;
  bool all_cpus = false, no_inherit = false, graph = false, any_branch = false;
  bool data = false, weight = false, phys_data = false, data_page_size = false;
  bool code_page_size = false, sample_cpu = false, sample_period = false, running_time = false;
  bool raw = false, transactions = false, registers = false, user_registers = false;
  bool thread_counts = false, no_samples = false, data_mappings = false, namespaces = false;
  bool no_bpf = false, all_cgroups = false, user_chains = false, kernel_chains = false,
       strict_frequency = false;
  bool per_thread = false, switches = false, all_user = false, all_kernel = false, quiet = false;
  bool topdown = false, timestamps_in_names = false, dry_run = false, force = false;

  bool of_cpus() const { return all_cpus || !cpus.empty() || !cgroup.empty(); }
  bool of_others() const { return !pids.empty() || !tids.empty() || !user.empty(); }
  bool to_stream() const { return output == "-"; }
};

void add_record_options(Command& command, RecordArguments& given);

/// Returns the fault of their combination; "" if there is none.
std::string_view record_problem(const RecordArguments& given);

/// Returns the options of the recorder; nullopt after reporting options that this machine does not
/// permit.
std::optional<RecordOptions> record_options(const RecordArguments& given);

/// Returns the target; `child` is the command's process. nullopt after reporting that there is
/// none.
std::optional<CountTarget> record_target(const RecordArguments& given, int child);

/// Ranges of ms after the start for sampling: -D 10-20,30-40. The last may have no end.
using RecordTimes = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
RecordTimes record_times(const RecordArguments& given);

/// nullopt: traces are recorded from the start to the end.
std::optional<SnapshotRule> snapshot_rule(const RecordArguments& given);

/// nullopt: there is only one file.
std::optional<SwitchRule> switch_rule(const RecordArguments& given);

}  // namespace evname::tools
