#include "complete/place.hpp"

#include <algorithm>

namespace evname::tools {
namespace {

/// Follows the words from the left.
class Walk {
 public:
  explicit Walk(const Program& program) : program_(program) { place_.command = &program.self(); }

  void pass(const std::string& word) {
    if (place_.of_other_program || place_.command == nullptr) return;
    if (waiting_)
      note(std::exchange(waiting_, {}), word);
    else if (word == "--")
      only_arguments();
    else if (is_option(word))
      pass_option(word);
    else
      pass_argument(word);
  }

  Place end_at(const std::string& word) {
    place_.typed = word;
    if (place_.of_other_program || place_.command == nullptr) return std::move(place_);
    if (waiting_)
      place_.option = waiting_;
    else if (is_option(word))
      end_at_option(word);
    else if (place_.command != &program_.self())
      end_at_argument();
    return std::move(place_);
  }

 private:
  bool is_option(const std::string& word) const {
    return word.starts_with('-') && word != "-" && !arguments_only_;
  }

  void only_arguments() {
    arguments_only_ = true;
    place_.of_other_program = place_.command->runs_another();
  }

  Option find(const std::string& name) const {
    for (const Option& option : place_.command->options())
      if (option.is_spelled(name)) return option;
    return {};
  }

  void pass_option(const std::string& word) {
    const auto equals = word.find('=');
    const Option option = find(word.substr(0, equals));
    if (!option || !option.takes_value()) return;
    if (equals == word.npos)
      waiting_ = option;
    else
      note(option, word.substr(equals + 1));
  }

  void pass_argument(const std::string& word) {
    if (place_.command == &program_.self()) {
      place_.command = program_.find(word);
      return;
    }
    if (const Option argument = this->argument()) note(argument, word);
    ++arguments_;
    place_.of_other_program = place_.command->runs_another();
  }

  void end_at_option(const std::string& word) {
    const auto equals = word.find('=');
    if (equals == word.npos || !word.starts_with("--")) return;
    place_.option = find(word.substr(0, equals));
    place_.head = word.substr(0, equals + 1);
    place_.typed = word.substr(equals + 1);
    if (!place_.option) place_.command = nullptr;
  }

  void end_at_argument() {
    place_.option = argument();
    place_.of_other_program = place_.command->runs_another();
    if (!place_.option && !place_.of_other_program) place_.command = nullptr;
  }

  /// The positional argument that is next; the last one if it takes several.
  Option argument() const {
    std::size_t left = arguments_;
    for (const Option& option : place_.command->options()) {
      if (!option.is_positional()) continue;
      if (left == 0 || option.takes_many()) return option;
      --left;
    }
    return {};
  }

  void note(const Option& option, const std::string& value) {
    if (option.value_name() == "CPU" && place_.machine.cpu.empty()) place_.machine.cpu = value;
    if (option.is_spelled("--input")) place_.machine.input = value;
    if (option.is_spelled("--sysfs")) place_.machine.sysfs = value;
    if (option.is_spelled("--events") && option.value_name() == "DIR")
      place_.machine.events = value;
  }

  const Program& program_;
  Place place_;
  Option waiting_;             ///< for its value
  std::size_t arguments_ = 0;  ///< positional ones so far
  bool arguments_only_ = false;
};

}  // namespace

Place find_place(const Program& program, std::span<const std::string> words) {
  Walk walk(program);
  if (words.empty()) return walk.end_at("");
  for (const std::string& word : words.first(words.size() - 1)) walk.pass(word);
  return walk.end_at(words.back());
}

}  // namespace evname::tools
