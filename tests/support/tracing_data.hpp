#pragma once
// Builds the TRACING_DATA of a recording. Layout: trace_report of
// tools/perf/util/trace-event-read.c.

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "support/bytes_out.hpp"

namespace evname::test {

/// One system with these tracepoints: id, name. `more` ends the format of each.
inline std::string tracing_data(std::endian order, const std::string& system,
                                const std::vector<std::pair<int, std::string>>& tracepoints,
                                const std::string& more = "") {
  const auto count = static_cast<std::uint32_t>(tracepoints.size());
  BytesOut out(order);
  out.raw("\x17\x08\x44tracing").raw(std::string_view("0.6\0", 4));
  out.u8(order == std::endian::big).u8(8).u32(4096);
  out.raw(std::string_view("header_page\0", 12)).u64(2).raw("ab");
  out.raw(std::string_view("header_event\0", 13)).u64(0);
  out.u32(0).u32(1).raw(system + '\0').u32(count);
  for (const auto& [id, name] : tracepoints) {
    const std::string format = fmt::format("name: {}\nID: {}\nformat:\n{}", name, id, more);
    out.u64(format.size()).raw(format);
  }
  return out.str();
}

}  // namespace evname::test
