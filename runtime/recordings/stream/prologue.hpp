#pragma once
// What pipes say in records and files in their header.

#include "recordings/stream/recording_file.hpp"

namespace evname::perfdata::stream {

/// Reads HEADER_ATTR, HEADER_FEATURE and HEADER_TRACING_DATA into events and features, and names
/// the events; EVENT_UPDATE overrules EVENT_DESC. All of `bytes` is searched, since perf may write
/// these records last (--tail-synthesize).
void read_pipe_records(const Stream& stream, File& file, Warnings& warnings);

/// EVENT_UPDATE records before the first sample of a file that isn't a pipe.
void read_early_updates(const Stream& stream, File& file, Warnings& warnings);

/// Reads the records before the first sample, and a little more, to the end of `bytes`. False where
/// samples come before any event: the whole stream is needed to make something of it.
Result<bool> read_prologue(OneWay& pipe, std::endian order, std::vector<std::uint8_t>& bytes);

/// The first of these is where the prologue of a pipe ends.
bool begins_data(std::uint32_t type);

/// Records that only count before the first sample, when a pipe is read as it comes.
bool is_of_prologue(std::uint32_t type);

}  // namespace evname::perfdata::stream
