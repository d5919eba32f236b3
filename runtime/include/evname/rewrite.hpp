#pragma once
// Copies recordings: with names for their events, with some of their samples, or split into several
// files.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "evname/error.hpp"
#include "evname/export.h"
#include "evname/recording.hpp"
#include "evname/sample_filter.hpp"

namespace evname {

/// An event to be renamed.
struct Renamed {
  std::size_t attr = 0;  ///< index of the event in the file
  ///@{
  /// Its name before and after.
  std::string from, to;
  ///@}
};

/// Returns the events that are recorded as codes but have a name in the tables (NamedBy::tables).
/// Events named by the user or by perf keep that name, and events without a name keep their code.
EVNAME_API std::vector<Renamed> names_to_inject(const Recording& file);

/// Writes the recording to `path` ("-": standard output) with the names of names_to_inject(), and
/// returns these. Samples, groups and everything else are copied byte for byte. The names are
/// stored in EVENT_DESC or, in a pipe, in EVENT_UPDATE records after the events; a directory is
/// written as a new directory. The output appears at `path` only when it is complete, and only
/// those who may read the recording may read it. An existing file keeps its owner and mode, and
/// symbolic links are followed. `path` may be the recording itself, unless that is a directory; for
/// a directory, `path` must not exist yet. SIGHUP, SIGINT and SIGTERM reach this thread only after
/// its unfinished output is removed. A recording that comes through a pipe is consumed. Of `pass`
/// only `progress` is used. Errors: io; cancelled; unsupported for forms that no perf since 3.2
/// writes.
[[nodiscard]] EVNAME_API Result<std::vector<Renamed>> inject(const Recording& file,
                                                             const std::string& path,
                                                             const PassOptions& pass = {});

/// Options of extract() and split().
struct ExtractOptions {
  PassOptions pass = {};  ///< how to read the samples
  /// For filters by function; nullptr: default options. It must outlive the call.
  const Symbols* symbols = nullptr;
};

/// The outcome of extract().
struct Extracted {
  std::vector<Renamed> renamed;  ///< as inject() returns them
  /// The tally of the recording; `selected` counts SAMPLE records that were written.
  SampleTally tally;
};

/// Does the same as inject(), but writes only the samples that `filter` accepts. All other records
/// and all features are kept, so that perf reads the file as it reads the recording. A SAMPLE
/// record with the values of several events (`:S`) is kept if one of them is accepted. Compressed
/// records are written uncompressed. The recording itself is never replaced. If no sample is
/// accepted, nothing is written. Makes two passes; PassOptions::progress begins at 0 in each. Needs
/// one bit of memory for every eight bytes of records. Errors: as from inject();
/// invalid_argument for a `path` that is the recording; not_found as from annotate(); unsupported
/// for a recording that comes through a pipe, or is a compressed directory.
[[nodiscard]] EVNAME_API Result<Extracted> extract(const Recording& file,
                                                   const SampleFilter& filter,
                                                   const std::string& path,
                                                   const ExtractOptions& options = {});

/// The outcome of pack().
struct Packed {
  std::uint64_t places = 0;  ///< places in code and data that have a name in the recording now
  std::uint64_t bytes = 0;   ///< size of these names
  std::uint64_t stacks = 0;  ///< samples whose copied stack became callers
  SampleTally tally;         ///< of the recording
};

/// Writes the recording to `path` with the functions, lines and inlined calls at all addresses of
/// its samples, so that it needs no other file: Symbols uses these names instead of the files of
/// the recording. Where perf copied a part of a thread's stack to find the callers later, the
/// callers take its place in the sample, if they can be found; other samples, and all other records
/// and features, are copied byte for byte. perf reads the output, too, and skips the names. They
/// are in a feature of number 240 or, in a pipe, in FEATURE records before the first sample.
/// `symbols` finds the names, and reports the files that it could not read. It has to be made with
/// SymbolOptions::inlines and lines. Compressed records are written uncompressed if callers are
/// added. The recording itself is never replaced. Makes up to three passes;
/// PassOptions::progress begins at 0 in each. Errors: as from extract().
[[nodiscard]] EVNAME_API Result<Packed> pack(const Recording& file, const Symbols& symbols,
                                             const std::string& path, const PassOptions& pass = {});

/// The field that tells the files of split() apart.
enum class SplitKey : std::uint8_t {
  event,   ///< of the SAMPLE record: the leader of a group with `:S`
  thread,  ///< thread id
  comm,    ///< name of the thread at the time of the sample
  cpu,     ///< CPU
};

/// A SplitKey with its name on a command line.
struct SplitKeyInfo {
  SplitKey key;           ///< the key
  std::string_view name;  ///< "event"
};
/// Returns all keys, in the order of the enum.
EVNAME_API std::span<const SplitKeyInfo> split_keys();

/// The outcome of split().
struct SplitResult {
  /// A file of split().
  struct Part {
    std::string
        key;  ///< name of the event, "comm (tid)", comm, or number of the CPU; "-": not sampled
    std::string path;           ///< of the file
    std::uint64_t samples = 0;  ///< SAMPLE records in it
  };

  std::vector<Part> parts;  ///< in the order of their first samples
  SampleTally tally;        ///< of the recording
};

/// Writes a recording for each value of `key` that the samples accepted by `filter` have, to a
/// directory, which is made if it is not there. Each file is written as by extract(), but with the
/// recorded names of events. The files are named after their keys and replace no existing file. If
/// one of them cannot be written, the others are removed. Memory is bounded, so that many values
/// take several passes; PassOptions::progress begins at 0 in the first, and when files are written.
/// Errors: as from extract(); io also if a name is taken, or if the disk can't hold a copy of the
/// other records in each file.
[[nodiscard]] EVNAME_API Result<SplitResult> split(const Recording& file, SplitKey key,
                                                   const SampleFilter& filter,
                                                   const std::string& directory,
                                                   const ExtractOptions& options = {});

}  // namespace evname
