#pragma once
// What could be typed.

#include <string>
#include <string_view>
#include <vector>

namespace evname::tools {

struct Candidate {
  std::string text;
  std::string about;  ///< may be empty
};

/// How a shell takes an answer; of files and directories it knows better itself.
enum class How { words, list, files, directories };

struct Answer {
  How how = How::words;
  std::vector<Candidate> candidates;
};

}  // namespace evname::tools
