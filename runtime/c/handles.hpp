#pragma once
// What the opaque handles of evname.h are.

#include <span>
#include <string>
#include <vector>

#include "evname/evname.h"
#include "evname/machine.hpp"
#include "evname/perf_data.hpp"

struct evname_machine {
  explicit evname_machine(evname::Machine from) : machine(std::move(from)), pmus(machine.pmus()) {}

  evname::Machine machine;
  std::vector<evname::PmuInfo> pmus;
};

struct evname_events {
  std::vector<evname::EventInfo> list;
};

struct evname_recording {
  explicit evname_recording(evname::PerfData data)
      : file(std::move(data)), machine(file.machine()) {}

  evname::PerfData file;
  evname_machine machine;
};

namespace evname::c {

/// Views that end with NUL; {} as "".
inline const char* text_of(std::string_view text) { return text.empty() ? "" : text.data(); }

/// `flag` of an enum of evname.h.
inline std::uint32_t flag_if(bool set, std::uint32_t flag) { return set ? flag : 0; }

/// NULL: those of the machine this runs on.
inline Roots roots_of(const char* sysfs, const char* procfs) {
  Roots roots;
  if (sysfs != nullptr) roots.sysfs = sysfs;
  if (procfs != nullptr) roots.procfs = procfs;
  return roots;
}

/// By the bits of enum evname_open_flags.
inline Result<UserEvents> user_events_of(std::uint32_t flags) {
  if ((flags & ~std::uint32_t{EVNAME_NO_USER_EVENTS}) != 0)
    return fail(Errc::invalid_argument, "flags has bits that mean nothing");
  return flags == 0 ? UserEvents::lay_over : UserEvents::leave_out;
}

evname_attr attr_of(const Encoding& encoding);

/// One of the events and its name; `name` may be null. EVNAME_OUT_OF_RANGE after the last.
int event_at(std::span<const Encoding> events, std::span<const std::string> names,
             std::size_t index, evname_attr* out, const char** name);

/// How a pass goes by the bits of enum evname_samples_flags.
inline Result<PassOptions> pass_options(std::uint32_t flags) {
  if ((flags & ~(EVNAME_SAMPLES_FILE_ORDER | EVNAME_SAMPLES_SALVAGE)) != 0)
    return fail(Errc::invalid_argument, "flags has bits that mean nothing");
  PassOptions options;
  options.file_order = (flags & EVNAME_SAMPLES_FILE_ORDER) != 0;
  options.salvage = (flags & EVNAME_SAMPLES_SALVAGE) != 0;
  return options;
}

inline evname_tally tally_of(const SampleTally& tally) {
  return {tally.samples, tally.unknown_ids, tally.malformed, tally.lost, tally.selected, {}};
}

/// The warning of that index; "" after the last one.
inline const char* warning_at(std::span<const std::string> warnings, std::size_t index) {
  return index < warnings.size() ? warnings[index].c_str() : "";
}

}  // namespace evname::c
