#include "input/filters.hpp"

#include <cstdint>
#include <limits>

#include "base/text.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

/// Appends the numbers of words like "7" and "2-5"; false: it told what is wrong. A range is cut
/// off where it has more numbers than there can be CPUs.
template <class T>
bool read_numbers(const char* option, const std::vector<std::string>& words,
                  std::vector<T>& numbers) {
  constexpr std::uint64_t kMost = 1 << 16;
  for (const std::string& word : words) {
    const auto dash = word.find('-');
    const auto first = parse_decimal(std::string_view(word).substr(0, dash));
    const auto last =
        dash == word.npos ? first : parse_decimal(std::string_view(word).substr(dash + 1));
    if (!first || !last || *last < *first || *last - *first > kMost ||
        *last > static_cast<std::uint64_t>(std::numeric_limits<T>::max())) {
      tell_error("{}: '{}' is not a number or range", option, word);
      return false;
    }
    for (std::uint64_t value = *first; value <= *last; ++value)
      numbers.push_back(static_cast<T>(value));
  }
  return true;
}

}  // namespace

void FilterOptions::add_to(Command& command) {
  command.option("--event", event, "Only events whose name matches this glob")
      .value_name("PATTERN");
  command.option("-C,--cpu", cpus, "Only these CPUs: 0,2-3")
      .value_name("LIST")
      .comma_separated()
      .one_value_each();
  command.option("-c,--comm,--comms", comms, "Only threads of these names")
      .value_name("NAMES")
      .comma_separated()
      .one_value_each();
  command.option("--pid", pids, "Only these processes")
      .value_name("LIST")
      .comma_separated()
      .one_value_each();
  command.option("--tid", tids, "Only these threads")
      .value_name("LIST")
      .comma_separated()
      .one_value_each();
  command
      .option("--time", time,
              "Only these times: A,B in seconds, either may be omitted; 10%-20%; 10%/2")
      .value_name("TIMES");
  command.option("--sym", sym, "Only samples in functions that match this glob, also inlined ones")
      .value_name("PATTERN");
  command.option("--dso", dso, "Only samples in files that match this glob: libc.so*, /usr/lib/*")
      .value_name("PATTERN");
}

bool FilterOptions::is_set() const {
  return !event.empty() || !time.empty() || !sym.empty() || !dso.empty() || !cpus.empty() ||
         !comms.empty() || !pids.empty() || !tids.empty();
}

bool FilterOptions::fill(SampleFilter& filter) const {
  filter.event = event;
  filter.comms = comms;
  filter.sym = sym;
  filter.dso = dso;
  return read_numbers("--cpu", cpus, filter.cpus) && read_numbers("--pid", pids, filter.pids) &&
         read_numbers("--tid", tids, filter.tids);
}

Result<void> FilterOptions::fill_times(const PerfData& file, SampleFilter& filter) const {
  if (time.empty()) return {};
  auto times = parse_times(time, file);
  if (!times) return fail(times);
  filter.times = std::move(*times);
  return {};
}

}  // namespace evname::tools
