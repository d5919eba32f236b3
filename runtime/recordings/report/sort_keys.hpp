#pragma once
// The keys that distinguish rows of a report. Their values are numbers, since texts take time.

#include <bit>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_pool.hpp"
#include "evname/decoded.hpp"
#include "evname/report.hpp"
#include "perf_format/feature_types.hpp"
#include "perf_format/recorded_events.hpp"
#include "recordings/perf_data/ibs.hpp"

namespace evname::report {

/// The value of a field that is not sampled. No process, thread, CPU or text has this number.
inline constexpr std::uint32_t kAbsent = 0x80000000;

class DataPlaces;

/// The values of a frame: numbers of texts.
struct FrameKeys {
  std::uint32_t sym = kAbsent, dso = kAbsent, srcfile = kAbsent, srcline = kAbsent;
  std::uint32_t frame = 0;          ///< in State::frames
  std::uint32_t unnamed = kAbsent;  ///< in State::unnamed_files, if it has a file and no function
};

/// An end of a branch.
struct BranchEnd {
  FrameKeys keys = {};
  std::uint32_t address = kAbsent;  ///< the number of a text
};

/// A branch of a sample.
struct BranchKeys {
  Branch branch;
  BranchEnd from = {}, to = {};
};

/// Adds a branch to the sums of branches.
void add_branch(Report::Branches& sums, const Branch& branch);

/// The inputs of the values of keys, in addition to the sample.
struct KeyContext {
  const Recording& file;
  TextPool& texts;
  DataPlaces* data = nullptr;                     ///< if a key needs it
  std::optional<perf_data::IbsReader> ibs = {};   ///< the same
  HashMap<const char*, TextPool::Id> comms = {};  ///< by address, which does not change in a pass
  HashMap<std::uint64_t, TextPool::Id> sources = {};  ///< by parts of data sources
  HashMap<std::uint64_t, TextPool::Id> decimals = {}, addresses = {}, simds = {};
  /// Of each of ReportOptions::fields, the field by attr; nullptr: the event does not have it.
  std::vector<std::vector<const perf_format::TraceField*>> trace_fields = {};
  std::endian order = std::endian::little;  ///< of the recording
  std::string_view arch = {};               ///< the same
  const BranchKeys* branch = nullptr;       ///< the branch that counts; nullptr: samples do

  /// The number of a thread's name.
  std::uint32_t comm_of(const Sample& sample);
};

enum class KeyNeeds : std::uint8_t {
  event,       ///< the event alone
  sample,      ///< a sample
  ibs,         ///< a sample, and KeyContext::ibs
  branch,      ///< a sample, and KeyContext::branch without its ends
  order,       ///< a sample, and the records before it in time
  data,        ///< the same, and KeyContext::data
  location,    ///< the same as order, and symbols
  branch_end,  ///< the same as location, and KeyContext::branch
};

struct KeyRow {
  SortKey key;
  std::string_view name;
  KeyNeeds needs;
  /// Texts of decimal numbers, and numbers, are columns of numbers.
  enum class Value : std::uint8_t { event, text, decimal, number } value;
  /// nullptr stands for what the row does not need. Of locations, see `member`; the value of an
  /// event is its index in State::events.
  std::uint32_t (*of)(KeyContext& context, const RecordedEvent& event, const Sample* sample);
  std::uint32_t FrameKeys::*member = nullptr;
};

const KeyRow& row_of(SortKey key);

/// Finds a field of tracepoints in the events of a recording, "prev_comm" or
/// "sched:sched_switch.prev_comm": by attr; nullptr: the event does not have it.
std::vector<const perf_format::TraceField*> find_field(const Recording& file,
                                                       std::string_view name);

/// Returns the error for a word that is neither a key nor a field of a tracepoint.
Error no_key(std::string_view word);

/// Returns a part of a data source in words; `key` is op, mem, snoop, tlb, locked or blocked.
std::string source_text(SortKey key, std::uint64_t source);

/// Returns the range of weights from a power of two on: "64-127".
std::string latency_text(unsigned bits);

/// A value in words.
std::string text_of(const KeyRow& row, const TextPool& texts, std::uint32_t value);

}  // namespace evname::report
