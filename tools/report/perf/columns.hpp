#pragma once
// The columns of `perf report --stdio`, in perf's words and with perf's widths.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "evname/report.hpp"

namespace evname::tools {

/// A key of --sort and --fields.
struct PerfKey {
  /// How perf prints a value.
  enum class Style : std::uint8_t {
    text,
    padded,  ///< to the column's width, even at the end of a line
    file,    ///< a path by its last part, padded
    symbol,  ///< "[k] name", or the address in the file
    thread,  ///< the number and the name: "    375:work"
    cpu,     ///< with zeros before it
  };
  std::string word;             ///< in perf's words
  std::string header;           ///< of its column
  std::size_t width = 0;        ///< its column's least
  Style style = Style::text;    ///< of its values
  std::vector<SortKey> keys{};  ///< the keys that a value is made of
};

/// A column of numbers.
enum class PerfNumber : std::uint8_t { overhead, children, sys, user, samples, period };

struct PerfColumn {
  bool is_key = false;
  PerfNumber number = PerfNumber::overhead;
  PerfKey key{};
  std::size_t place = 0;  ///< of the key among the keys
};

/// The columns, and the order of rows: numbers fall, keys rise.
struct PerfColumns {
  std::vector<PerfColumn> shown;
  std::vector<PerfColumn> order;
};

/// What --sort, --fields and options that add columns ask for.
struct PerfColumnChoice {
  std::string sort, fields;
  bool branches = false, children = false, samples = false, period = false, cpu_shares = false;
};

/// Returns the columns. Fields of tracepoints go into `fields`. Errors: of parse_sort_keys().
Result<PerfColumns> perf_columns(const PerfColumnChoice& choice, std::vector<std::string>& fields);

/// Returns evname's word for a key of perf; "" for a column that every table has.
std::string_view own_word(std::string_view word);

/// Returns the name of a column of numbers.
std::string_view header_of(PerfNumber number);

/// Returns the text of a key. `values` are parallel to PerfKey::keys.
std::string perf_text(const PerfKey& key, const std::vector<std::string>& values);

/// Returns true if a function of this file, or at this address, is the kernel's.
bool is_of_kernel(std::string_view dso, std::string_view sym);

}  // namespace evname::tools
