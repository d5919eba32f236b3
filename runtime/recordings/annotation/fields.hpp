#pragma once
// The fields of samples and their formats.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/hash_map.hpp"
#include "evname/annotate.hpp"
#include "perf_format/feature_types.hpp"
#include "perf_format/recorded_events.hpp"
#include "recordings/annotation/code_texts.hpp"
#include "recordings/annotation/print_format.hpp"
#include "recordings/annotation/sample_parts.hpp"
#include "recordings/annotation/script_options.hpp"
#include "recordings/annotation/text_output.hpp"
#include "recordings/locations/by_location.hpp"
#include "recordings/locations/location_cache.hpp"

namespace evname::annotation {

/// The fields of locations that the text of an event has.
struct LocationFields {
  bool ip = false, function = false, offset = false, file = false, file_offset = false,
       line = false;

  bool any() const { return function || offset || file || line; }
  /// Returns a number that tells them apart.
  std::uint32_t number() const {
    return ip | function << 1U | offset << 2U | file << 3U | file_offset << 4U | line << 5U;
  }
};

/// The instructions that the text of an event has with branches.
struct BlockFields {
  bool length = false, text = false, line = false, counters = false, source = false;
};

/// The texts of branches' ends, which earlier samples mostly have, too. A copy begins with
/// nothing.
class EndTexts {
 public:
  /// What a text depends on: the address, the mappings, and a number for the rest.
  struct Key {
    std::uint64_t address = 0, user_maps = 0, kernel_maps = 0;
    std::uint32_t number = 0;
    bool operator==(const Key&) const = default;
    auto key() const { return std::tuple(address, user_maps, kernel_maps, number); }
  };

  EndTexts() = default;
  EndTexts(const EndTexts&) {}
  EndTexts& operator=(const EndTexts&) = delete;

  /// Returns the text of a key, valid until the next call. make() returns it if it is not there.
  template <class Make>
  std::string_view of(const Key& key, Make&& make) {
    if (const auto at = texts_.find(key); at != texts_.end()) return at->second;
    if (texts_.size() >= kMost) texts_.clear();
    return texts_.emplace(key, std::string(make())).first->second;
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 16;
  HashMap<Key, std::string> texts_;
};

/// Lines of source files.
class SourceLines {
 public:
  /// Returns a line, valid until the next call; nullopt if the file is not here or has fewer.
  std::optional<std::string_view> find(const std::string& path, std::uint32_t line);
  /// Returns true if the thread's last line was the same.
  bool is_repeated(std::int32_t tid, const std::string& path, std::uint32_t line);

 private:
  std::map<std::string, std::string, std::less<>> files_;
  HashMap<std::int32_t, std::pair<std::string, std::uint32_t>> last_;  ///< by thread
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
  bool printable = false;          ///< text has no control characters in names
  std::vector<bool> has_chains;    ///< by attr: ip is written as a callchain
  std::size_t data_src_width = 0;  ///< perf pads to the longest so far
  LineStyle style;
  std::optional<perf_format::ClockData> clock;          ///< for times of day
  std::uint64_t first_time = 0, last_time = 0;          ///< of lines; 0: there was none
  std::vector<LocationFields> location_fields;          ///< by attr
  std::vector<BlockFields> block_fields;                ///< by attr
  std::optional<locations::LocationCache> locations;    ///< see needs_locations()
  locations::ItemsByLocation<char> location_texts;      ///< after an address without callchain
  locations::ItemsByLocation<char> chain_texts;         ///< lines of a callchain
  std::vector<Address> stack;                           ///< of the sample at hand
  locations::ByCallers<std::string_view> caller_texts;  ///< the same of all callers

  BranchTexts branch_texts;
  EndTexts end_texts;
  CodeTexts code;
  SourceLines sources;
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

/// Returns the fields of locations that the sample's event has.
inline const LocationFields& location_fields_of(const Sample& sample, const FieldContext& context) {
  return context.location_fields[sample.event().attr];
}
/// Returns true if the text of the event has callchains.
bool writes_chain(const perf_format::Event& event, const FieldContext& context);

/// Writes " (/bin/app)", or " (/bin/app+0x1000)", of an address.
void write_file(const Sample& sample, Address address, FieldContext& context, Output& out);
/// Writes "main" or "main+0x10"; "[unknown]" if the frame has no function.
void write_function(const Frame& frame, bool with_offset, Output& out);
/// Writes the place in the source: "a.c:12".
void write_source(const Sample& sample, Address address, FieldContext& context, Output& out);

/// Write branches as write_branches_text() does, with the files of their addresses if the event has
/// dso: " 0x1000 (/bin/app)/0x2000 (/bin/app)/P/-/-/0/CALL/- ", "f+0x1/g+0x0/P/-/-/0/CALL/- ".
void write_branches_in_files(const Sample& sample, FieldContext& context, Output& out);
void write_branches_by_function(const Sample& sample, FieldContext& context, Output& out);
void write_branches_by_offset(const Sample& sample, FieldContext& context, Output& out);

/// Write the sample's own instruction: " ilen: 3", " insn: 48 89 e5", "\t\tmovq %rsp, %rbp".
void write_instruction_length(const Sample& sample, FieldContext& context, Output& out);
void write_instruction_bytes(const Sample& sample, FieldContext& context, Output& out);
void write_instruction_text(const Sample& sample, FieldContext& context, Output& out);
/// Writes the instructions between the branches, a line for each.
void write_branch_code(const Sample& sample, FieldContext& context, Output& out);
/// Writes the line of the sample's source, in a line of its own, if it is another one than before.
void write_source_code(const Sample& sample, FieldContext& context, Output& out);
/// Writes the raw data of a BPF program's output, in lines of eight bytes.
void write_bpf_output(const Sample& sample, Output& out);

/// Writes the stack with inlined calls, innermost call first. JSON: an array of
/// {"ip","sym","symoff","dso","srcline","inlined"}; CSV: the labels of the calls.
void write_frames_value(const Sample& sample, FieldContext& context, ValueWriter& out);

bool has_field(const perf_format::Event& event, const FieldRow& row);

/// Checks that the format and the recording have the fields. Errors: not_found for a field that no
/// event samples or, in text, that perf script refuses to print; invalid_argument for a field that
/// the format lacks.
Result<void> check_fields(const Recording& file, Format format, std::span<const Field> fields);

}  // namespace evname::annotation
