// Converts the options of evname record to RecordOptions.

#include <linux/perf_event.h>
#include <sys/stat.h>

#include <algorithm>
#include <string_view>
#include <tuple>

#include "base/read_file.hpp"
#include "base/text.hpp"
#include "evname/recording.hpp"
#include "input/number_list.hpp"
#include "record/options.hpp"
#include "record/values.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

/// Fields that an option adds to each sample.
struct FieldOption {
  bool RecordArguments::*asked;
  std::string_view fields;
};
constexpr FieldOption kFieldOptions[] = {
    {&RecordArguments::data, "addr,data_src,"},
    {&RecordArguments::weight, "weight,"},
    {&RecordArguments::phys_data, "phys_addr,"},
    {&RecordArguments::data_page_size, "data_page_size,"},
    {&RecordArguments::code_page_size, "code_page_size,"},
    {&RecordArguments::sample_cpu, "cpu,"},
    {&RecordArguments::sample_period, "period,"},
    {&RecordArguments::raw, "raw,cpu,"},
    {&RecordArguments::transactions, "transaction,"},
    {&RecordArguments::registers, "interrupt_registers,"},
    {&RecordArguments::user_registers, "user_registers,"},
};

/// Returns false after reporting a frequency that is too high, if that is a mistake.
bool set_frequency(const RecordArguments& given, RecordOptions& options) {
  options.sampling.period = given.period;
  if (given.frequency.empty()) return true;
  const std::uint64_t most = highest_frequency();
  options.sampling.frequency = given.frequency == "max" ? most : *parse_decimal(given.frequency);
  if (!given.strict_frequency || most == 0 || options.sampling.frequency <= most) return true;
  return tell_error("-F {}: {} a second is the most that kernel.perf_event_max_sample_rate permits",
                    options.sampling.frequency, most);
}

void set_chains(const RecordArguments& given, RecordOptions& options) {
  const auto parts = split(given.call_graph, ',');
  if (given.graph) options.sampling.chains = CallChains::frame_pointers;
  if (given.call_graph.empty()) return;
  if (parts[0] == "fp") options.sampling.chains = CallChains::frame_pointers;
  if (parts[0] == "lbr") options.sampling.chains = CallChains::branch_records;
  if (parts[0] == "dwarf") options.sampling.chains = CallChains::stack_copies;
  if (parts.size() == 2)
    options.sampling.stack_size = static_cast<std::uint32_t>(*parse_decimal(parts[1]));
}

void set_branches(const RecordArguments& given, RecordOptions& options) {
  if (given.any_branch) options.sampling.branches |= PERF_SAMPLE_BRANCH_ANY;
  if (!given.branches.empty())
    options.sampling.branches |= parse_branch_types(given.branches).value_or(0);
}

/// Returns the number of a user, who is given by name or number; nullopt if there is no such user.
std::optional<std::uint64_t> user_number(const std::string& user) {
  std::optional<std::uint64_t> out = parse_decimal(user);
  if (out) return out;
  (void)base::read_lines("/etc/passwd", 1 << 24, [&](std::string_view line) {
    const auto words = split(line, ':');
    if (!out && words.size() > 2 && words[0] == user) out = parse_decimal(words[2]);
  });
  return out;
}

/// The processes of a user, by the owner of a file in procfs.
std::vector<int> processes_of_user(std::uint64_t user) {
  std::vector<int> out;
  for (const std::string& name : list_directory("/proc", 1 << 22)) {
    const auto process = parse_decimal(name);
    struct stat file {};
    if (process && *process <= INT32_MAX && ::stat(("/proc/" + name).c_str(), &file) == 0 &&
        file.st_uid == user)
      out.push_back(static_cast<int>(*process));
  }
  return out;
}

/// Returns the command line of this process. If /proc is missing, only the words of the recorded
/// command are known.
std::vector<std::string> command_line(const RecordArguments& given) {
  constexpr std::size_t kMost = 4 << 20;
  std::string text = read_text_file("/proc/self/cmdline", kMost).value_or("");
  if (text.ends_with('\0')) text.pop_back();  // each word ends with one
  if (!text.empty()) {
    const auto words = split(text, '\0');
    return {words.begin(), words.end()};
  }
  std::vector<std::string> out = {"evname", "record"};
  out.insert(out.end(), given.command.begin(), given.command.end());
  return out;
}

}  // namespace

RecordTimes record_times(const RecordArguments& given) {
  return times_of(given.delay).value_or(RecordTimes{{0, UINT64_MAX}});
}

std::optional<SwitchRule> switch_rule(const RecordArguments& given) {
  return switches_of(given.switch_output);
}

std::optional<SnapshotRule> snapshot_rule(const RecordArguments& given) {
  return snapshots_of(given.snapshot);
}

std::optional<RecordOptions> record_options(const RecordArguments& given) {
  RecordOptions out;
  if (!set_frequency(given, out)) return std::nullopt;
  set_chains(given, out);
  set_branches(given, out);
  for (const FieldOption& row : kFieldOptions)
    if (given.*row.asked) out.sampling.fields += row.fields;
  out.sampling.max_stack = static_cast<std::uint16_t>(given.max_stack);
  out.inherit = !given.no_inherit && given.tids.empty();
  out.per_thread = given.per_thread;
  out.setup.enable_on_exec =
      !given.command.empty() && !given.of_cpus() && !given.of_others() && given.delay.empty();
  out.early_mappings = !given.delay.empty();
  out.setup.data_mappings = given.data || given.data_mappings;
  out.switches = given.switches;
  out.as_stream = given.to_stream();
  if (!given.existing.empty()) out.existing = *existing_of(given.existing);
  out.namespaces = given.namespaces;
  out.cgroups = given.all_cgroups;
  out.bpf_programs = !given.no_bpf;
  out.running_time = given.running_time;
  out.thread_counts = given.thread_counts;
  out.samples = !given.no_samples;
  out.sampling.user_chains = given.user_chains || !given.kernel_chains;
  out.sampling.kernel_chains = given.kernel_chains || !given.user_chains;
  if (!given.pages.empty())
    std::tie(out.setup.buffer_pages, out.setup.trace_pages) = *pages_of(given.pages);
  if (const auto rule = snapshot_rule(given)) {
    out.snapshots = true;
    out.snapshot_size = rule->bytes;
  }
  out.compression = static_cast<int>(parse_decimal(given.compression).value_or(0));
  out.max_size = given.max_size.empty() ? 0 : *size_of(given.max_size);
  if (!given.clock.empty()) out.clock = clock_of(given.clock);
  out.command_line = command_line(given);
  return out;
}

std::optional<CountTarget> record_target(const RecordArguments& given, int child) {
  CountTarget target;
  if (given.all_cpus && !given.user.empty())  // as perf: of all, what the user runs
    target.kind = CountTarget::Kind::processes;
  else if (!given.cgroup.empty())
    target = CountTarget::in_cgroup(given.cgroup);
  else if (given.of_cpus())
    target = CountTarget::on_cpus();
  else if (!given.pids.empty() || !given.user.empty())
    target.kind = CountTarget::Kind::processes;
  else if (!given.tids.empty())
    target.kind = CountTarget::Kind::threads;
  else
    target = CountTarget::process(child);
  append_numbers(given.pids, target.ids);
  append_numbers(given.tids, target.ids);
  append_numbers(given.cpus, target.cpus);
  if (given.user.empty()) return target;
  const auto user = user_number(given.user);
  if (!user) {
    tell_error("-u {}: there is no such user", given.user);
    return std::nullopt;
  }
  target.ids = processes_of_user(*user);
  if (target.ids.empty()) {
    tell_error("-u {}: the user has no process now; those that start later are not sampled",
               given.user);
    return std::nullopt;
  }
  return target;
}

}  // namespace evname::tools
