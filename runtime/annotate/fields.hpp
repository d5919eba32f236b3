#pragma once
// The fields of samples: which there are, and how each is written.

#include <string>
#include <string_view>
#include <vector>

#include "annotate/perf_data_state.hpp"
#include "annotate/value.hpp"

namespace evname {

/// What writing a field needs beside the sample itself.
struct FieldContext {
  std::vector<std::string> names;                    ///< of the events, in the style asked for
  std::size_t name_width = 0;                        ///< of the longest
  std::vector<std::string> descs;                    ///< of the events; filled if wanted
  std::string arch;                                  ///< as uname -m says it
  std::vector<const perfdata::TraceFormat*> traces;  ///< of the events; nullptr: no tracepoint
  bool big_endian = false;
  bool callchains = false;         ///< ip is written, with callchains where there are
  std::size_t data_src_width = 0;  ///< perf pads to the longest so far
};

struct FieldRow {
  Field field;
  std::string_view name;
  std::string_view what;      ///< for help texts
  std::uint32_t sample_bits;  ///< any of them gives the field; 0: it is always there
  /// In perf script's layout. Only called where the event has the field, as is `value`.
  void (*text)(const Sample& sample, FieldContext& context, Output& out);
  std::string_view absent;  ///< text where the event does not have it
  void (*value)(const Sample& sample, FieldContext& context, ValueWriter& out);
};

/// In the order of the enum, which is that of perf script's lines.
std::span<const FieldRow> field_rows();
const FieldRow& row_of(Field field);

bool has_field(const perfdata::Attr& attr, const FieldRow& row);

/// perf's callchain: frames without context markers, user space ones as offsets in their files.
/// `each` takes an address.
template <class Each>
void for_each_frame(const Sample& sample, bool offsets, Each&& each) {
  constexpr std::uint64_t kContextUser = -512, kContextMax = -4095;
  constexpr std::size_t kMostFrames = 127;  // PERF_MAX_STACK_DEPTH: perf script leaves out the rest
  const SampleWords chain = sample.callchain();
  bool user = true;
  for (std::size_t i = 0, frames = 0; i < chain.size() && frames < kMostFrames; ++i) {
    const std::uint64_t address = chain[i];
    if (address >= kContextMax) {
      user = address == kContextUser;
    } else {
      each(user && offsets ? sample.file_offset(address) : address);
      ++frames;
    }
  }
}

}  // namespace evname
