#pragma once
// The samples of a recording, written down with the names of their events.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/error.hpp"
#include "evname/export.h"
#include "evname/perf_data.hpp"

namespace evname {

/// Receives output piecewise; false ends the writing.
using TextSink = std::function<bool(std::string_view)>;

/// What can be written of a sample, in the order of perf script's lines. file, full_name, pmu,
/// code, cgroup, transaction, id, desc and callchain are evname's own; the others are named as perf
/// script does.
enum class Field : std::uint8_t {
  file,  ///< path of the recording, as it was opened
  comm,
  pid,
  tid,
  cpu,
  misc,
  time,
  period,
  event,      ///< in csv and jsonl it brings pmu, code and attr along
  full_name,  ///< RecordedEvent::full_name(): what rows of a report are told apart by
  pmu,
  code,
  cgroup,
  transaction,
  id,
  desc,
  trace,  ///< fields of a tracepoint
  addr,
  data_src,
  weight,
  ins_lat,
  retire_lat,
  ip,         ///< in text: the callchain, where the event has one
  callchain,  ///< csv and jsonl
  iregs,
  uregs,
  brstack,
  phys_addr,
  data_page_size,
  code_page_size,
};

enum class Format : std::uint8_t {
  text,    ///< laid out as perf script does, in its order of fields
  csv,     ///< a header, then a line each; RFC 4180
  jsonl,   ///< an object each
  folded,  ///< "event;comm;root;…;leaf count": input of flame graph tools
};

/// A row of the list of fields.
struct FieldInfo {
  Field field;            ///< which
  std::string_view name;  ///< as parse_fields() takes it
  std::string_view what;  ///< for help texts
};
/// In the order of the enum.
EVNAME_API std::span<const FieldInfo> all_fields();

/// "comm,pid,ip"; "+ip,-tid" changes `base`. Errors: invalid_argument, naming the word.
EVNAME_API Result<std::vector<Field>> parse_fields(std::string_view text,
                                                   std::span<const Field> base);

/// comm, pid, tid, time, event; for csv and jsonl with cpu.
EVNAME_API std::span<const Field> default_fields(Format format);

/// Times of the recording's clock in ns, both inclusive.
struct TimeRange {
  ///@{
  /// Inclusive, in ns.
  std::uint64_t first = 0, last = UINT64_MAX;
  ///@}
};

/// --time of perf script: "12.5,13" in seconds, either may be missing; several with spaces between;
/// "10%-20%,40%-50%", "50%" (the first half), "10%/2" (the second tenth) of the time from the first
/// to the last sample. Errors: invalid_argument; not_found where shares are asked for and the
/// recording does not tell those times.
EVNAME_API Result<std::vector<TimeRange>> parse_times(std::string_view text, const PerfData& file);

/// Which samples are written. Empty members let all pass; all that are given must fit. What is not
/// sampled fits as it does for perf script: any CPU, process -1, and a time of 0 is in all ranges.
struct EVNAME_API SampleFilter {
  std::string event = {};  ///< glob, any case, of RecordedEvent::name (with or without modifiers)
                           ///< or recorded_name
  ///@{
  /// Any of them.
  std::vector<std::uint32_t> cpus = {};
  std::vector<std::string> comms = {};
  std::vector<std::int32_t> pids = {}, tids = {};
  ///@}
  std::vector<TimeRange> times = {};  ///< any of them

  /// Does the sample fit all but `event`?
  bool accepts(const Sample& sample) const;
  /// Is nothing given but, perhaps, events?
  bool passes_all() const {
    return cpus.empty() && comms.empty() && pids.empty() && tids.empty() && times.empty();
  }
  /// The events that pass: by RecordedEvent::attr.
  std::vector<bool> events(const PerfData& file) const;
};

enum class NameStyle : std::uint8_t {
  symbolic,  ///< RecordedEvent::name and modifiers
  recorded,  ///< RecordedEvent::recorded_name: the very bytes of perf script
};

/// How annotate() writes.
struct AnnotateOptions {
  Format format = Format::text;           ///< of the output
  std::vector<Field> fields = {};         ///< empty: default_fields()
  NameStyle names = NameStyle::symbolic;  ///< in text
  SampleFilter filter = {};               ///< which samples are written
  PassOptions pass = {};                  ///< how they are read
  std::uint64_t limit = UINT64_MAX;       ///< samples
  bool count_periods = false;             ///< folded: sum periods instead of samples
};

/// Writes the samples. Keys of csv and jsonl are the names of the fields, in the order asked for;
/// "event" stands for event (RecordedEvent::name), pmu, code, config1 to config3 (jsonl: only where
/// not 0) and attr (index of the event). time is in seconds with nine decimals; addresses and codes
/// are "0x…"; a callchain is an array of addresses, leaf first; branches are objects with from, to,
/// predicted (null: not known), in_tx, abort, cycles, type; registers and tracepoint fields are an
/// object. csv joins arrays by ";". What was not sampled is null or empty.
/// Text has the order of perf script, and the same bytes where its fields and recorded names are
/// asked for (perf 6.1; trace is not laid out by print formats).
/// Errors: not_found for a field that no event of the recording samples (but csv and jsonl always
/// have their default fields) and, in text, where perf
/// script refuses to print it: the first event of a type does not sample it. not_found for CPUs
/// that are not sampled. invalid_argument for a field that the format does not have.
EVNAME_API Result<SampleTally> annotate(const PerfData& file, const AnnotateOptions& options,
                                        const TextSink& sink);

}  // namespace evname
