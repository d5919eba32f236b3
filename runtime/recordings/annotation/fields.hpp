#pragma once
// The fields of samples and their formats.

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/annotate.hpp"
#include "perf_format/feature_types.hpp"
#include "perf_format/recorded_events.hpp"
#include "recordings/annotation/print_format.hpp"
#include "recordings/annotation/sample_parts.hpp"
#include "recordings/annotation/text_output.hpp"
#include "recordings/locations/by_location.hpp"
#include "recordings/locations/location_cache.hpp"

namespace evname::annotation {

/// The fields of locations that text has.
struct LocationFields {
  bool ip = false, function = false, offset = false, file = false, line = false;

  bool any() const { return function || offset || file || line; }
};

/// The data for writing fields, in addition to the sample.
struct FieldContext {
  std::string file;                         ///< path of the recording
  std::vector<std::string> names;           ///< of the events, in the requested style
  std::vector<std::string> padded_names;    ///< as text has them
  std::vector<std::string> full_names;      ///< of the events
  std::vector<std::string> descs;           ///< of the events; filled if wanted
  std::string arch;                         ///< as uname -m says it
  std::vector<PrintFormat> prints;          ///< of the events; empty: by fields
  std::string print_text;                   ///< of the sample at hand
  std::optional<perf_data::IbsReader> ibs;  ///< at the sample at hand; none if no field needs it
  const perf_format::Events* events = nullptr;
  bool big_endian = false;
  bool printable = false;                               ///< text has no control characters in names
  std::vector<bool> has_chains;                         ///< by attr: ip is written as a callchain
  std::size_t data_src_width = 0;                       ///< perf pads to the longest so far
  LocationFields location_fields;                       ///< those that text has
  std::optional<locations::LocationCache> locations;    ///< see needs_locations()
  locations::ItemsByLocation<char> location_texts;      ///< after an address without callchain
  locations::ItemsByLocation<char> chain_texts;         ///< lines of a callchain
  std::vector<Address> stack;                           ///< of the sample at hand
  locations::ByCallers<std::string_view> caller_texts;  ///< the same of all callers

  BranchTexts branch_texts;
  BranchCounters branch_counters;
};

/// Tells how text treats an event that does not sample a field.
enum class Unsampled : std::uint8_t {
  none,    ///< every sample has the field
  refuse,  ///< perf script refuses to run if this is the first event of a type
           ///< (field_choice.cpp), and prints a default for others
  print,   ///< perf script prints a default, mostly nothing
  own,     ///< perf script has no such field: "-"
};

struct FieldRow {
  Field field;
  std::string_view name;
  std::string_view what;  ///< for help texts
  Unsampled unsampled;
  std::uint32_t sample_bits;  ///< any of them gives the field; 0: it is always there
  /// In perf script's layout; nullptr: text has no such field. Called for every event.
  void (*text)(const Sample& sample, FieldContext& context, Output& out);
  /// Called only if the event has the field.
  void (*value)(const Sample& sample, FieldContext& context, ValueWriter& out);
};

/// In the order of the enum, and so of perf script's lines.
std::span<const FieldRow> field_rows();
const FieldRow& row_of(Field field);

/// Returns the row of a name; nullptr if there is none.
const FieldRow* find_row(std::string_view name);
/// Returns true if at least one of `some` is among the fields.
bool has_any(std::span<const Field> fields, std::initializer_list<Field> some);
/// Returns the reason why there is no field of that name.
tl::unexpected<Error> no_field(std::string_view name);

/// Writes the sample's counts of its event, or of all events of its group, by name. JSON:
/// {"cycles":1000, …, "time_enabled":…, "time_running":…}.
void write_read_text(const Sample& sample, const FieldContext& context, Output& out);
void write_read_value(const Sample& sample, const FieldContext& context, ValueWriter& out);

/// Writes ip, sym, symoff, dso and srcline as perf script 7.3 does: a line for each caller and
/// inlined call, or the end of the sample's line (sample__fprintf_sym of
/// tools/perf/util/evsel_fprintf.c).
void write_location_text(const Sample& sample, FieldContext& context, Output& out);

/// Writes branches as write_branches_text() does, with the files of their addresses:
/// " 0x1000 (/bin/app)/0x2000 (/bin/app)/P/-/-/0/CALL/- ".
void write_branches_in_files(const Sample& sample, FieldContext& context, Output& out);

/// Writes the stack with inlined calls, innermost call first. JSON: an array of
/// {"ip","sym","symoff","dso","srcline","inlined"}; CSV: the labels of the calls.
void write_frames_value(const Sample& sample, FieldContext& context, ValueWriter& out);

bool has_field(const perf_format::Event& event, const FieldRow& row);

/// Checks that the format and the recording have the fields. Errors: not_found for a field that no
/// event samples or, in text, that perf script refuses to print; invalid_argument for a field that
/// the format lacks.
Result<void> check_fields(const Recording& file, Format format, std::span<const Field> fields);

}  // namespace evname::annotation
