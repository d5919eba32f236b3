#pragma once
// Writes the samples of recordings as a profile for pprof, Firefox Profiler, speedscope, Perfetto
// or OpenTelemetry, or for the compilers' tools BOLT, llvm-profgen and AutoFDO.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/export.h"
#include "evname/sample_filter.hpp"
#include "evname/symbols.hpp"

namespace evname {

/// The program that a profile is for: the rows of profile_formats.def. Formats for compilers add
/// events up, the others keep them apart.
enum class ProfileFormat : std::uint8_t {
#define EVNAME_PROFILE_FORMAT(name, NAME, word, needs, is_text, what) name,
#define EVNAME_BRANCH_FORMAT(name, Name, word, what) name,
#include "evname/profile_formats.def"
};

/// A ProfileFormat with its name.
struct ProfileFormatInfo {
  ///@{
  /// The format, its name on a command line, and a description for help texts.
  ProfileFormat format;
  std::string_view name;
  std::string_view what;
  ///@}
  /// The libraries that this build lacks for it; empty: it can write the format.
  std::string_view missing;
  /// True for the formats of compilers, which need ProfileOptions::binary.
  bool for_binary = false;
  /// False for the formats that a terminal can't show.
  bool is_text = true;
};
/// Returns all formats, in the order of the enum.
EVNAME_API std::span<const ProfileFormatInfo> profile_formats();

/// Options of export_profile().
struct ProfileOptions {
  ProfileFormat format = ProfileFormat::pprof;  ///< what to write
  SampleFilter filter = {};                     ///< samples to write
  PassOptions pass = {};                        ///< how to read them
  /// Names functions; nullptr: they stay addresses. It must outlive the call.
  const Symbols* symbols = nullptr;
  /// Compress also formats that are uncompressed by default. Needs zlib.
  bool gzip = false;
  ///@{
  /// Options of the formats of compilers. They need `binary`, the file to optimize. It is found in
  /// a recording by its build id, else by its name, else by `recorded_as`: a path in the recording,
  /// or its last part. A file of that name with another build id is refused unless
  /// `ignore_build_id` is set. `plain` counts the samples' own instructions instead of branches.
  std::string binary = {}, recorded_as = {};
  bool ignore_build_id = false, plain = false;
  ///@}
};

/// The outcome of export_profile().
struct ProfileTally {
  std::vector<SampleTally> files;  ///< of each recording
  std::uint64_t samples = 0;       ///< written, of all recordings and events
  ///@{
  /// For the formats of compilers: the number of branches, the number of branches that neither
  /// begin nor end in the file, the number of samples of processes without the file, and warnings.
  std::uint64_t branches = 0, outside = 0, other_samples = 0;
  std::vector<std::string> warnings;
  ///@}
};

/// Writes a profile of one or more recordings to `sink`. Events of the same name and PMU in several
/// recordings are one event. If there are several recordings, each has threads of its own, and its
/// times count from its first sample. An address without a symbol is named by its file and the
/// offset in it, "libc.so.6+0x2a1b0"; pprof, which can look for symbols itself, gets the mapping
/// and the address. Addresses of callers are within the call, not after it.
///
/// Memory grows with the number of different stacks, and in the formats firefox and speedscope by
/// some 32 bytes for each sample.
///
/// The formats of compilers take memory for each different branch, at most 48 bytes, and read as
/// many recordings at once as PassOptions::jobs allows.
///
/// Errors: unsupported for a format that this build lacks a library for, and for a `binary` without
/// machine code; not_found for a filter by CPU if CPUs are not sampled, and if no recording has
/// `binary`; invalid_argument without a recording, and for options that the format does not have.
[[nodiscard]] EVNAME_API Result<ProfileTally> export_profile(std::span<const Recording> files,
                                                             const ProfileOptions& options,
                                                             const TextSink& sink);

/// Does the same, and writes to a file; "-" is standard output. The file appears at `path` only
/// when it is complete, and only those who may read the recordings may read it. An existing file
/// keeps its owner and mode. If there are no samples, no file is written. Errors: also io;
/// invalid_argument for a `path` that is one of the recordings.
[[nodiscard]] EVNAME_API Result<ProfileTally> export_profile(std::span<const Recording> files,
                                                             const ProfileOptions& options,
                                                             const std::string& path);

}  // namespace evname
