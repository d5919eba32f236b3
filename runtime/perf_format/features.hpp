#pragma once
// Reads the features of a recording, and the records with the same contents.

#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "perf_format/feature_types.hpp"
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

/// Reads an entry of the feature BPF_PROG_INFO.
BpfProgram read_bpf_program(Cursor& in);
/// Reads an entry of the feature BPF_BTF.
BpfBtf read_bpf_btf(Cursor& in);

/// Returns the number EM_* of elf.h of the machine that architecture() names; 0 if it is unknown.
std::uint16_t elf_machine(const Features& features);

/// Returns the build id in an MMAP2 record; nullopt for other records.
std::optional<BuildId> mapped_build_id(const Record& record, std::endian order);

/// The texts of a BPF_METADATA record have so many bytes, whatever their length.
inline constexpr std::size_t kBpfProgramBytes = 512, kBpfKeyBytes = 64, kBpfValueBytes = 256;

/// Reads a BPF_METADATA record up to its first fault.
BpfMetadata read_bpf_metadata(const Record& record, std::endian order);

}  // namespace evname::perf_format
