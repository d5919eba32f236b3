#pragma once
// Reads the features of a recording, and the records with the same contents.

#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "evname/features.hpp"
#include "perf_format/file_header.hpp"
#include "perf_format/perf_rules.hpp"
#include "perf_format/record.hpp"

namespace evname::perf_format {

/// Decodes one feature, whose content begins at `offset`. A fault loses the rest of this feature
/// only, and is added to `warnings`. A feature without a decoder is only noted.
void decode_feature(std::uint64_t number, Bytes content, std::endian order, std::uint64_t offset,
                    Features& features, Warnings& warnings);

/// Returns the form that perf asks of a feature.
PerfRule perf_rule_of(std::uint64_t number);

/// Reads all features of a file.
void read_features(Bytes file, const Header& header, Features& features, Warnings& warnings);

/// Reads the rows of BUILD_ID, as the feature and the record have them.
void decode_build_ids(Cursor& in, Features& out);

// TRACING_DATA: tracing_data_get and trace_report of tools/perf/util/trace-event-{info,read}.c. Its
// formats: Documentation/trace/events.rst of Linux.

/// Reads TRACING_DATA, which has a byte order of its own. Returns false if it is broken; `tracing`
/// then has the part before the fault.
bool read_tracing_data(Bytes blob, TracingData& tracing);

/// Reads the text of a format file. Returns nullopt if it has no name or no ID.
std::optional<TraceFormat> parse_trace_format(std::string_view system, std::string_view text);

/// Reads the line of a field: "field:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;". Returns
/// nullopt for another line.
std::optional<TraceField> parse_trace_field(std::string_view line);

/// Returns the number EM_* of elf.h of the machine that architecture() names; 0 if it is unknown.
std::uint16_t elf_machine(const Features& features);

/// Returns the build id in an MMAP2 record; nullopt for other records.
std::optional<BuildId> mapped_build_id(const Record& record, std::endian order);

/// The texts of a BPF_METADATA record have so many bytes, whatever their length.
inline constexpr std::size_t kBpfProgramBytes = 512, kBpfKeyBytes = 64, kBpfValueBytes = 256;

/// Reads a BPF_METADATA record up to its first fault.
BpfMetadata read_bpf_metadata(const Record& record, std::endian order);

}  // namespace evname::perf_format
