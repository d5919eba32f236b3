#pragma once
// Reads the words of a command into its options.

#include <getopt.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.hpp"

namespace evname::tools {

struct Option::Row {
  std::vector<std::string> letters, words;  ///< "o", "output"
  std::size_t unlisted = 0;                 ///< of the words, the last ones
  std::string argument;                     ///< "FILE", if it is positional
  std::string about, value_name, group;
  std::vector<std::string> values;  ///< of one_of()
  std::vector<std::function<std::string(const std::string&)>> checks;
  std::function<void(const std::string&)> keep;
  std::vector<const Row*> excluded;
  const Row* other = nullptr;       ///< of placed_among()
  std::vector<std::size_t> places;  ///< of each of `given` among the values of `other`
  bool takes_value = false, takes_many = false, one_value_each = false, comma_separated = false;
  std::optional<std::string> bare;  ///< its value if none is given
  bool last_counts = false, required = false, hidden = false;
  std::vector<std::string> given;  ///< the values; for a flag, a "" each time that it is given

  std::string name() const {
    if (!words.empty()) return "--" + words[0];
    return letters.empty() ? argument : "-" + letters[0];
  }
  bool is_spelled(std::string_view word) const;
  std::string without_value() const { return name() + ": its value is missing: " + value_name; }
  std::string problem() const;
  /// Keeps the values with their places.
  void keep_places(std::vector<Placed>& out);
};

/// Reads the words of a command by getopt_long(), which keeps its place in global variables.
class WordReader {
 public:
  WordReader(std::span<const std::unique_ptr<Option::Row>> rows, std::string& title,
             std::vector<std::string>& words);

  /// Returns the fault; "" if there is none.
  std::string read();
  /// The remaining words.
  std::vector<std::string> rest() const;
  const std::string& extra() const { return extra_; }

 private:
  static constexpr int kFirstWord = 256;  // above all letters

  Option::Row* row_of(int found) const;
  Option::Row* row_spelled(std::string_view word) const;
  void take_argument(const char* word);
  std::string take_option(Option::Row& row, bool is_next_word);
  std::string refuse(const std::string& word, int found);

  std::span<const std::unique_ptr<Option::Row>> rows_;
  std::vector<char*> given_;
  std::string letters_;
  std::vector<option> names_;
  std::vector<Option::Row*> of_names_;
  Option::Row* list_ = nullptr;  ///< the option that takes the words after it
  std::string extra_;
};

}  // namespace evname::tools
