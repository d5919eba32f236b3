#pragma once
// Copies a recording with other names of its events, or with some of its samples.

#include <span>
#include <string>

#include "base/output/output_file.hpp"
#include "recordings/rewriting/chosen_samples.hpp"
#include "recordings/stream/recording_file.hpp"

namespace evname::rewriting {

/// `names`: of all events, in the order of the file. The file keeps all bytes up to the end of its
/// data section, except the header. EVENT_DESC is replaced, or added at the end. If the feature
/// table has to grow, the bytes after it move. A truncated recording gets the size of its data
/// section, and a table with this one feature.
Result<void> write_named_file(const stream::File& file, std::span<const std::string> names,
                              OutputFile& out);

/// Does the same with some of the samples. `renames` false: names stay. Packed records are
/// unpacked.
Result<ChosenStream> write_chosen_file(const stream::File& file, std::span<const std::string> names,
                                       bool renames, const ChosenSamples& chosen, OutputFile& out);
Result<ChosenStream> write_chosen_pipe(const stream::File& file, std::span<const std::string> names,
                                       const ChosenSamples& chosen, OutputFile& out);
/// A stream alone, which is a file of a directory.
Result<ChosenStream> write_chosen_stream(const stream::File& file, const stream::Stream& stream,
                                         const ChosenSamples& chosen, OutputFile& out);

/// A file, byte by byte.
Result<void> write_as_is(const stream::File& file, OutputFile& out);

/// A pipe gets EVENT_UPDATE records after its events; they replace the ones that it had for these
/// events.
Result<void> write_named_pipe(const stream::File& file, std::span<const std::string> names,
                              OutputFile& out);

}  // namespace evname::rewriting
