#pragma once
// Collects the generator's reports about its input, each with its place.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evname/error.hpp"

namespace evname::trees {

/// Reads a file of an event tree. Errors: it is not a regular file, is too large, or can't be read.
Result<std::string> read_tree_file(const std::string& path);

/// A byte of a source file. Lines are counted only when they are asked for.
struct Place {
  std::uint32_t file = 0;    ///< Index into Diagnostics::files.
  std::uint32_t offset = 0;  ///< Byte offset; files above 4 GiB are refused.
};

enum class Severity : std::uint8_t {
  error,    ///< The entry or file could not be used.
  warning,  ///< Used, but suspicious (--lint shows these, --werror fails on them).
};

struct Diagnostic {
  Severity severity;
  Place place;
  std::string event;  ///< "" if it is not about one event
  std::string key;    ///< JSON key or mapfile column, may be empty
  std::string message;
};

class Diagnostics {
 public:
  std::uint32_t add_file(std::string path);
  const std::string& file(std::uint32_t index) const { return files_[index]; }

  void report(Severity severity, Place place, std::string_view event, std::string_view key,
              std::string message);

  /// Adds the reports of another object about its own files. Returns the number to add to its file
  /// indexes.
  std::uint32_t adopt(Diagnostics other);

  std::size_t count(Severity severity) const;
  const std::vector<Diagnostic>& all() const { return all_; }

  /// Returns "file:line: warning: EVENT: Key: message". Reads the file again to
  /// count lines.
  std::string text(const Diagnostic& diagnostic) const;

 private:
  std::size_t line_of(Place place) const;

  std::vector<std::string> files_;
  std::vector<Diagnostic> all_;
  mutable std::uint32_t cached_file_ = UINT32_MAX;
  mutable std::string cached_text_;
};

}  // namespace evname::trees
