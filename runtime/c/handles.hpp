#pragma once
// What the opaque handles of evname.h are.

#include <string>
#include <vector>

#include "evname/evname.h"
#include "evname/machine.hpp"
#include "evname/perf_data.hpp"

struct evname_machine {
  evname::Machine machine;
};

struct evname_events {
  std::vector<evname::EventInfo> list;
};

struct evname_recording {
  explicit evname_recording(evname::PerfData data)
      : file(std::move(data)), machine{file.machine()} {}

  evname::PerfData file;
  evname_machine machine;
};

namespace evname::c {

/// Views that end with NUL; {} as "".
inline const char* text_of(std::string_view text) { return text.empty() ? "" : text.data(); }

/// `flag` of an enum of evname.h.
inline std::uint32_t flag_if(bool set, std::uint32_t flag) { return set ? flag : 0; }

/// The warning of that index; "" behind the last one.
inline const char* warning_at(std::span<const std::string> warnings, std::size_t index) {
  return index < warnings.size() ? warnings[index].c_str() : "";
}

}  // namespace evname::c
