#pragma once
// Why perf refuses a recording.

#include <cstdint>
#include <string>
#include <vector>

#include "recordings/stream/recording_file.hpp"

namespace evname::stream {

/// The records that are looked at.
enum class Looked : std::uint8_t {
  first,  ///< those before the first sample
  all,    ///< all but those that are compressed
};

/// Returns a sentence for each thing for which perf 7.3 ends with an error, as far as it looks.
std::vector<std::string> perf_refusals(const File& file, Looked looked);

}  // namespace evname::stream
