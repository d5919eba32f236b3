#pragma once
// Lines of the counts that `perf stat record` wrote, as perf script prints them.

#include <cstdint>
#include <vector>

#include "perf_format/record.hpp"
#include "recordings/annotation/text_output.hpp"
#include "recordings/perf_data/recording_state.hpp"

namespace evname::annotation {

class StatLines {
 public:
  explicit StatLines(const Recording& file);

  /// Returns true if records of the type have counts or end a round of them.
  static bool wants(std::uint32_t type);
  /// Takes a record, and writes all counts at the end of a round.
  void add(const perf_format::Record& record, Output& out);

 private:
  /// The last count of an event on a CPU, in a thread of the list of threads.
  struct Count {
    std::int32_t cpu = -1;
    std::uint32_t thread = 0;
    std::uint64_t value = 0, enabled = 0, running = 0;
  };

  void add_count(Cursor in);
  void write_round(std::uint64_t time, Output& out);

  const detail::RecordingState& state_;
  const Recording& file_;
  std::vector<std::vector<Count>> counts_;  ///< by attr
  std::vector<std::int32_t> threads_;
  bool has_title_ = false;
};

}  // namespace evname::annotation
