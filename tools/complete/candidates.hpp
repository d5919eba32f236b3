#pragma once
// What could be typed as the value of an option or a positional argument.

#include <string>
#include <vector>

#include "complete/place.hpp"

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

/// By the set of values the option has, else by the name of its value ("CPU", "EVENT", "FILE").
Answer values_of(const Place& place);

}  // namespace evname::tools
