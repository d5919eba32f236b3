#pragma once
// A line of shell input, as far as the cursor.

#include <string>
#include <string_view>
#include <vector>

namespace evname::tools {

struct Line {
  std::vector<std::string> words;  ///< without their quotes; the last is at the cursor, maybe empty
  std::size_t break_at = 0;        ///< from here on, bash takes the last word for one of its own
};

/// Splits at spaces, outside quotes; `breaks` are the other characters bash parts words at.
Line split_line(std::string_view text, std::string_view breaks);

}  // namespace evname::tools
