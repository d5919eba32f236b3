#pragma once
// What the files of cli/ know of an option.

#include <functional>
#include <string>
#include <vector>

namespace evname::tools {

struct OptionSpec {
  enum class Takes { nothing, one, many };

  char letter = 0;                 ///< 0: it has none
  std::vector<std::string> words;  ///< without their dashes
  std::string argument;            ///< of a positional argument, which has no other name
  std::string about;
  Takes takes = Takes::nothing;
  std::string value_name;
  std::string allowed;              ///< which values can be given, for help; "": any
  std::vector<std::string> values;  ///< these, if only certain ones
  std::vector<OptionSpec*> excluded;
  bool required = false;
  bool commas = false;  ///< "a,b" are two values
  bool greedy = false;  ///< takes all words after it that are no options

  /// What is wrong with a value; "": nothing. None: all can be given.
  std::function<std::string(const std::string& value)> problem;
  /// Keeps the values; false: they can't be converted.
  std::function<bool(const std::vector<std::string>& values)> store;

  std::vector<std::string> given;

  /// As messages call it: "--output", "-o", "FILE".
  std::string name() const {
    if (!words.empty()) return "--" + words.front();
    return letter != 0 ? std::string("-") + letter : argument;
  }
  /// "WHEN:{auto,always,never}"
  std::string type() const { return allowed.empty() ? value_name : value_name + ":" + allowed; }
};

}  // namespace evname::tools
