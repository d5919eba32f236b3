#pragma once
// Writes the samples of a recording, with the names of their events, as text, CSV, JSON Lines or
// folded stacks.

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
#include "evname/symbols.hpp"

namespace evname {

/// Receives the output in pieces; returning false stops it.
using TextSink = std::function<bool(std::string_view)>;

/// A field of a sample, in the order of perf script's lines: the rows of sample_fields.def, which
/// describe them. file, full_name, pmu, code, cgroup, transaction, id, desc, build_id, frames and
/// callchain are evname's own; the others have perf script's names. In csv and jsonl, `event` also
/// writes pmu, code and attr.
enum class Field : std::uint8_t {
#define EVNAME_FIELD(name, ...) name,
#include "evname/sample_fields.def"
};

/// Output format of annotate().
enum class Format : std::uint8_t {
  text,    ///< perf script's layout and order of fields
  csv,     ///< a header line, then one line per sample; RFC 4180
  jsonl,   ///< one JSON object per sample and line
  folded,  ///< "event;comm;root;…;leaf count": input for flame graph tools
};

/// A Field with its name.
struct FieldInfo {
  ///@{
  /// The field, its name in parse_fields(), and a description for help texts.
  Field field;
  std::string_view name;
  std::string_view what;
  ///@}
};
/// All fields, in the order of the enum.
EVNAME_API std::span<const FieldInfo> all_fields();

/// Parses a list of field names. "comm,pid,ip" replaces `base`; "+ip,-tid" adds fields to it and
/// removes fields from it. Errors: invalid_argument; the message quotes the unknown word.
EVNAME_API Result<std::vector<Field>> parse_fields(std::string_view text,
                                                   std::span<const Field> base);

/// The fields written by default: comm, pid, tid, time and event; csv and jsonl also have cpu.
EVNAME_API std::span<const Field> default_fields(Format format);

/// A range of times of the recording's clock.
struct TimeRange {
  ///@{
  /// Inclusive, in ns.
  std::uint64_t first = 0, last = UINT64_MAX;
  ///@}
};

/// Parses the argument of perf script's --time: ranges in seconds, separated by spaces, such as
/// "12.5,13" (either bound may be omitted), or shares of the time from the first to the last
/// sample: "10%-20%,40%-50%", "50%" (the first half), "10%/2" (the second tenth).
/// Errors: invalid_argument; not_found if shares are requested and the recording does not contain
/// the times of its first and last sample.
EVNAME_API Result<std::vector<TimeRange>> parse_times(std::string_view text, const PerfData& file);

/// Selects samples. An empty member accepts every sample; a sample must satisfy all members that
/// are set. As in perf script, a sample without a CPU matches any CPU, one without a process has
/// pid -1, and time 0 lies in every range.
struct EVNAME_API SampleFilter {
  std::string event = {};  ///< glob for RecordedEvent::name (with or without modifiers) or
                           ///< recorded_name, ignoring case
  ///@{
  /// The sample must match one of them.
  std::vector<std::uint32_t> cpus = {};
  std::vector<std::string> comms = {};
  std::vector<std::int32_t> pids = {}, tids = {};
  ///@}
  std::vector<TimeRange> times = {};  ///< the sample must be in one of them
  ///@{
  /// Globs for a function at the sample's address, also one inlined there, and for the file that
  /// has it, with or without its directory. A name as output has it accepts itself, whatever
  /// brackets and asterisks are in it: "[kernel.kallsyms]".
  std::string sym = {}, dso = {};
  ///@}

  /// Returns true if `sym` or `dso` is set.
  bool asks_for_code() const { return !sym.empty() || !dso.empty(); }
  /// Returns true if the sample satisfies all members but `event`, `sym` and `dso`.
  bool accepts(const Sample& sample) const;
  /// Returns true if no member other than `event` is set.
  bool passes_all() const {
    return cpus.empty() && comms.empty() && pids.empty() && tids.empty() && times.empty() &&
           !asks_for_code();
  }
  /// Whether each event of the file matches `event`, indexed by RecordedEvent::attr.
  std::vector<bool> events(const PerfData& file) const;
  /// Whether the recording has what is asked of it. not_found: `cpus` is set, and an event does not
  /// sample the CPU. annotate(), extract(), split() and export_profile() ask by themselves.
  Result<void> check(const PerfData& file) const;
};

/// How text output names events.
enum class NameStyle : std::uint8_t {
  symbolic,  ///< RecordedEvent::name and modifiers
  recorded,  ///< RecordedEvent::recorded_name, byte for byte as in perf script
};

/// Options of annotate().
struct AnnotateOptions {
  Format format = Format::text;           ///< output format
  std::vector<Field> fields = {};         ///< empty: default_fields()
  NameStyle names = NameStyle::symbolic;  ///< text only
  SampleFilter filter = {};               ///< samples to write
  PassOptions pass = {};                  ///< how to read them
  std::uint64_t limit = UINT64_MAX;       ///< maximum number of samples to write
  bool count_periods = false;             ///< folded: sum periods instead of samples
  /// csv: "'" goes before a text that begins with one of = + - @, a tab or a carriage return, which
  /// a spreadsheet would take for a formula.
  bool guard_formulas = false;
  /// Names functions and files, where a field, a filter or folded stacks ask for them. nullptr: a
  /// Symbols with default options. Outlives the call.
  const Symbols* symbols = nullptr;
  bool printable = false;  ///< text: '?' for each control character of a name, for terminals
};

/// Writes the samples to `sink`. The keys of csv and jsonl are the names of the fields, in the
/// order requested; "event" expands to event (RecordedEvent::name), pmu, code, config1 to config3
/// (jsonl: only if not 0) and attr (index of the event). time is in seconds with nine decimals;
/// addresses and codes are "0x…"; a callchain is an array of addresses, leaf first; branches are
/// objects with from, to, predicted (null: unknown), not_taken, in_tx, abort, cycles, type and spec
/// (how it was speculated; "": not told); registers and
/// tracepoint fields are one object. csv joins arrays and "name=value" pairs with ";", puts a "\"
/// before each ";", "=" and "\" in their names and texts, and then quotes the cell as a whole. In
/// csv and jsonl a byte that is not well-formed UTF-8 becomes U+FFFD. Values that were not sampled
/// are null or empty.
///
/// Text has perf script's order of fields, and its exact bytes if its fields and recorded names are
/// requested (perf 7.3, less what docs/perf.md lists; tracepoints' print formats are not applied).
///
/// Errors: not_found for a field that no event of the recording samples (except the default fields
/// of csv and jsonl) and, in text, for a field that perf script refuses to print because the first
/// event of a type does not sample it; not_found for a filter by CPU if CPUs are not sampled;
/// invalid_argument for a field that the format does not have.
EVNAME_API Result<SampleTally> annotate(const PerfData& file, const AnnotateOptions& options,
                                        const TextSink& sink);

}  // namespace evname
