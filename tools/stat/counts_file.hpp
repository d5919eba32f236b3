#pragma once
// `evname stat record` and `evname stat report`: counts in a perf.data.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "record/files.hpp"
#include "sampling/count_writer.hpp"
#include "stat/options.hpp"

namespace evname::tools {

/// Makes hidden options of the words of perf: "stat record …" and "stat report -i FILE …".
std::vector<std::string> with_counts_options(std::vector<std::string> words);

/// The file that `evname stat record` writes.
class CountsFile {
 public:
  CountsFile(const Machine& machine, const StatOptions& options);
  /// Returns false after reporting that the file can't be opened.
  bool is_open() const { return files_.fd() >= 0; }
  /// Adds the counts after so many seconds; the first ones have all events and places. Returns
  /// false after reporting an error.
  bool take(std::span<const sampling::PlaceCount> counts, double seconds, bool is_last);
  /// Returns false after reporting that the file is not complete.
  bool finish();

 private:
  bool check(const Result<void>& done);

  const Machine& machine_;
  const StatOptions& options_;
  RecordArguments given_;
  RecordFiles files_;
  std::optional<sampling::CountWriter> writer_;
  bool has_failed_ = false;
};

/// Prints the counts of a recording as `evname stat` does.
int report_counts(const StatOptions& options);

}  // namespace evname::tools
