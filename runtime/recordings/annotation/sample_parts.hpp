#pragma once
// Writes the fields of a sample that are not numbers: branch stack, data source, registers.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash_map.hpp"
#include "evname/recording.hpp"
#include "recordings/annotation/text_output.hpp"
#include "recordings/perf_data/ibs.hpp"
#include "recordings/perf_data/recording_state.hpp"

namespace evname::annotation {

/// The texts of flags of branches, "/P/-/-/0/CALL/- ".
class BranchTexts {
 public:
  /// All calls have the same `arch`. The text is valid until the next call.
  const std::string& of(std::uint64_t flags, std::string_view arch);

 private:
  HashMap<std::uint64_t, std::string> texts_;
};

/// Writes " 0x1000/0x2000/P/-/-/0/CALL/- " for each branch, newest first, as
/// perf_sample__fprintf_brstack does. `arch` is what uname -m prints ("aarch64"); some types of
/// branches have names on one architecture only.
void write_branches_text(const Sample& sample, std::string_view arch, BranchTexts& texts,
                         Output& out);

/// Writes the same as a value. JSON: an array of
/// {"from","to","predicted","not_taken","in_tx","abort","cycles","type","spec"}, and "priv" if the
/// mode was recorded; CSV: as in text, without the spaces.
void write_branches_value(const Sample& sample, std::string_view arch, ValueWriter& out);

/// The events that the counters of branches count, and their letters.
struct BranchCounters {
  /// An event with a counter, and its letter: "A" to "Z", "A0" to "Z9".
  struct Counter {
    std::string event, letter;
  };

  BranchCounters() = default;
  /// `printable`: see make_printable().
  BranchCounters(const Recording& file, bool printable);

  std::string list;                          ///< "# Branch counter abbr list:", as perf prints it
  std::vector<std::vector<Counter>> groups;  ///< of each group, lowest bits first
  std::vector<std::uint32_t> group_of;       ///< by attr
  std::vector<unsigned> widths;              ///< of a counter in bits, by attr; 0: unknown
};

/// Writes " AAB+/-/A ", a part for each branch: the letter of an event once for each time that it
/// was counted, "+" if its counter may have been too small, "-" if nothing was counted.
void write_branch_counters_text(const Sample& sample, const BranchCounters& counters, Output& out);
/// Writes the part of one branch.
void write_counts_of_branch(const Sample& sample, std::size_t branch,
                            const BranchCounters& counters, Output& out);
/// Writes the same as a value. JSON: [{"event":2, …}, …]; CSV: AAB+;-;A. Counters of an unknown
/// width are one number.
void write_branch_counters_value(const Sample& sample, const BranchCounters& counters,
                                 ValueWriter& out);

/// Writes DataSource::text().
void write_data_src(std::uint64_t value, Output& out);

/// Writes "4K", "2M" or "1024M"; "N/A" for 0.
void write_page_size(std::uint64_t size, Output& out);

/// Writes the kind of a branch in trace data, "jcc/not_taken/", as perf_sample__fprintf_flags does.
void write_branch_flags_text(std::uint32_t flags, Output& out);
/// Writes the same as a value.
void write_branch_flags_value(std::uint32_t flags, ValueWriter& out);

enum class RegisterSet : std::uint8_t { interrupt, user };

/// Writes registers by their names, " ABI:2    x0:0x1    x1:0x2 ", or nothing if there are none, as
/// perf_sample__fprintf_regs does. `arch` is what uname -m prints ("aarch64").
void write_registers_text(const Sample& sample, RegisterSet set, std::string_view arch,
                          Output& out);

/// Writes a line for each, ".... x0    0x0000000000000001", as perf script -D does.
void write_register_lines(const Sample& sample, RegisterSet set, std::string_view arch,
                          Output& out);

/// Writes the same as a value. JSON: {"x0":"0x1", …}; CSV: x0=0x1;…
void write_registers_value(const Sample& sample, RegisterSet set, std::string_view arch,
                           ValueWriter& out);

/// Writes the registers of an IBS sample, each on a line of its own, as perf script -D does.
void write_ibs_text(const std::optional<perf_data::IbsReader>& ibs, Output& out);
/// Writes one register, or a part of one, and a space; "- " if the sample does not have it.
void write_ibs_text(const std::optional<perf_data::IbsReader>& ibs, perf_data::IbsItem item,
                    Output& out);
/// Writes the same as values. All registers: {"ibs_op_ctl":"0x…","MaxCnt":250000, …}, by perf's
/// names.
void write_ibs_value(const std::optional<perf_data::IbsReader>& ibs, ValueWriter& out);
void write_ibs_value(const std::optional<perf_data::IbsReader>& ibs, perf_data::IbsItem item,
                     ValueWriter& out);

/// "prev_comm=swapper prev_pid=0 …": every field except common_*. Numbers are decimal, pointers and
/// bytes hexadecimal; `printable`: see make_printable().
void write_trace_text(const perf_format::TraceFormat& format, std::string_view raw, bool big_endian,
                      Output& out, bool printable = false);
/// The same as an object (CSV: "name=value;…").
void write_trace_value(const perf_format::TraceFormat& format, std::string_view raw,
                       bool big_endian, ValueWriter& out);

}  // namespace evname::annotation
