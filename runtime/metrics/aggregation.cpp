#include "metrics/aggregation.hpp"

#include <fmt/format.h>

#include <charconv>
#include <span>

namespace evname::measure {
namespace {

constexpr std::uint32_t kAnyCpu = UINT32_MAX;

/// enum aggr_mode of perf, util/stat.h, from that version on (major, minor). AGGR_UNSET is missing
/// at the end: nothing is recorded with it.
struct Modes {
  unsigned major, minor;
  std::vector<CountsPer> meanings;
};

const Modes& modes_of(unsigned major, unsigned minor) {
  using enum CountsPer;
  static const Modes kModes[] = {
      {6, 9, {cpu, total, socket, die, recorded, recorded, core, thread}},  // cluster, cache
      {6, 5, {cpu, total, socket, die, recorded, core, thread}},            // cache
      {5, 2, {cpu, total, socket, die, core, thread}},
      {0, 0, {cpu, total, socket, core, thread}},
  };
  for (const Modes& modes : kModes)
    if (std::pair(major, minor) >= std::pair(modes.major, modes.minor)) return modes;
  return kModes[0];
}

/// "6.1.192" as 6 and 1; of what is no version, the newest.
std::pair<unsigned, unsigned> version_of(std::string_view text) {
  unsigned major = 99, minor = 0;
  const auto [dot, error] = std::from_chars(text.data(), text.data() + text.size(), major);
  if (error == std::errc() && dot != text.data() + text.size() && *dot == '.')
    std::from_chars(dot + 1, text.data() + text.size(), minor);
  return {major, minor};
}

}  // namespace

CountsPer recorded_aggregation(std::uint64_t mode, std::string_view perf_version,
                               std::vector<std::string>& warnings) {
  const auto [major, minor] = version_of(perf_version);
  const std::vector<CountsPer>& meanings = modes_of(major, minor).meanings;
  if (mode < meanings.size() && meanings[mode] != CountsPer::recorded) return meanings[mode];
  warnings.push_back(
      fmt::format("the aggregation mode {} of the recording is not known; all is summed up", mode));
  return CountsPer::total;
}

std::string place_name(CountsPer per, std::uint32_t cpu, const perfdata::CpuTopology& topology) {
  if (per == CountsPer::total || per == CountsPer::thread || cpu == kAnyCpu) return {};
  if (per == CountsPer::cpu) return fmt::format("CPU{}", cpu);
  perfdata::CpuTopology::Cpu at;
  if (cpu < topology.cpus.size()) at = topology.cpus[cpu];
  if (per == CountsPer::socket) return fmt::format("S{}", at.socket);
  if (per == CountsPer::die) return fmt::format("S{}-D{}", at.socket, at.die);
  return fmt::format("S{}-D{}-C{}", at.socket, at.die, at.core);
}

}  // namespace evname::measure
