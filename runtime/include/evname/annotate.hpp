#pragma once
// Writes the samples of a recording, with the names of their events, as text, CSV, JSON Lines or
// folded stacks.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/error.hpp"
#include "evname/export.h"
#include "evname/recording.hpp"
#include "evname/sample_filter.hpp"
#include "evname/symbols.hpp"

namespace evname {

/// A field of a sample, in the order of perf script's lines; all_fields() describes each. file,
/// full_name, pmu, code, cgroup, transaction, id, desc, build_id, frames and callchain are evname's
/// own; the others have perf script's names (bpf_output: bpf-output). In csv and jsonl, `event`
/// also writes pmu, code and attr, unless it is the only field of csv. Greater values are the
/// registers of AMD's IBS and their parts, which parse_fields() knows by name.
enum class Field : std::uint8_t {
  brcntr,
  file,
  comm,
  pid,
  tid,
  cpu,
  misc,
  tod,
  time,
  period,
  event,
  full_name,
  pmu,
  code,
  transaction,
  id,
  desc,
  flags,
  trace,
  addr,
  data_src,
  weight,
  ins_lat,
  retire_lat,
  cgroup,
  ip,
  sym,
  symoff,
  dso,
  dsoff,
  srcline,
  build_id,
  frames,
  callchain,
  iregs,
  uregs,
  brstack,
  brstacksym,
  brstackoff,
  brcounts,
  counters,
  bpf_output,
  insnlen,
  insn,
  disasm,
  brstackinsn,
  brstackinsnlen,
  brstackdisasm,
  phys_addr,
  data_page_size,
  code_page_size,
  srccode,
  ibs,
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
/// Returns all fields, in the order of the enum.
EVNAME_API std::span<const FieldInfo> all_fields();

/// Parses a list of field names. "comm,pid,ip" replaces `base`; "+ip,-tid" adds fields to it and
/// removes fields from it. Errors: invalid_argument; the message quotes the unknown word.
[[nodiscard]] EVNAME_API Result<std::vector<Field>> parse_fields(std::string_view text,
                                                                 std::span<const Field> base);

/// Returns the fields that are written by default: comm, pid, tid, time and event; csv and jsonl
/// also have cpu.
EVNAME_API std::span<const Field> default_fields(Format format);

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
  /// csv: puts "'" before a text that begins with one of = + - @, a tab or a carriage return, which
  /// a spreadsheet would take for a formula.
  bool guard_formulas = false;
  /// Names functions and files if a field, a filter or folded stacks ask for them. nullptr: a
  /// Symbols with default options. It must outlive the call.
  const Symbols* symbols = nullptr;
  bool printable = false;  ///< text: '?' for each control character of a name, for terminals
};

/// Writes the samples to `sink`. The keys of csv and jsonl are the names of the fields, in the
/// order requested; "event" expands to event (RecordedEvent::name), pmu, code, config1 to config3
/// (jsonl: to config4, those that are not 0) and attr (index of the event), but is one column if
/// csv has no other field. time is in seconds with nine decimals; addresses and codes are "0x…"; a
/// callchain is an array of addresses, leaf first; branches are objects with from, to, predicted
/// (null: unknown), not_taken, in_tx, abort, cycles, type and spec (how it was speculated; "":
/// unknown), and priv (user, kernel or hypervisor) if that was recorded; registers, tracepoint
/// fields, `ibs` and `counters` are one object, `brcntr` is an object for each branch; there the
/// second word of XMM0 is XMM0_hi, and the second event of one name has #2. csv joins arrays and
/// "name=value" pairs with ";", puts a "\" before each ";", "=" and "\" in their names and texts,
/// and then quotes the cell as a whole.
/// In csv and jsonl a byte that is not well-formed UTF-8 becomes U+FFFD. Values that were not
/// sampled are null or empty.
///
/// Text has perf script's order of fields, and its exact bytes if its fields and recorded names are
/// requested (perf 7.3, except for what docs/perf.md lists; a tracepoint whose print format is not
/// understood is printed field by field).
///
/// Errors: not_found for a field that no event of the recording samples (except the default fields
/// of csv and jsonl) and, in text, for a field that perf script refuses to print because the first
/// event of a type does not sample it; not_found for a filter by CPU if CPUs are not sampled;
/// invalid_argument for a field that the format does not have.
[[nodiscard]] EVNAME_API Result<SampleTally> annotate(const Recording& file,
                                                      const AnnotateOptions& options,
                                                      const TextSink& sink);

}  // namespace evname
