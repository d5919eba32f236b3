#pragma once
// A recording: one file, a pipe's output, or a directory of files.

#include <string>
#include <vector>

#include "base/mapped_file.hpp"
#include "perfdata/events.hpp"
#include "perfdata/features.hpp"
#include "perfdata/header.hpp"

namespace evname::perfdata {

/// Part of a recording that holds records, in a mapping of `File`.
struct Stream {
  Bytes bytes;
  std::uint64_t offset = 0;  ///< in its file
  std::string name;          ///< of its file, for messages; empty: the main one
};

/// Everything but the records. All that can be repaired is, and told in `warnings`.
struct File {
  std::string path;
  Header header;
  Events events;
  Features features;
  std::vector<Stream> streams;  ///< more than one: a directory, to be merged by time
  std::vector<std::string> warnings;

  /// `path`: a file, a directory that `perf record --threads` made, or "-" for standard input.
  static Result<File> open(const std::string& path);

 private:
  std::vector<MappedFile> maps_;
};

}  // namespace evname::perfdata
