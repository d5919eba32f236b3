#include "complete/place.hpp"

#include <algorithm>

#include "help/option_model.hpp"

namespace evname::tools {
namespace {

/// Follows the words from the left.
class Walk {
 public:
  explicit Walk(const CLI::App& app) : app_(app) { place_.command = &app; }

  void pass(const std::string& word) {
    if (place_.of_other_program || place_.command == nullptr) return;
    if (waiting_ != nullptr)
      note(*std::exchange(waiting_, nullptr), word);
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
    if (waiting_ != nullptr)
      place_.option = waiting_;
    else if (is_option(word))
      end_at_option(word);
    else if (place_.command != &app_)
      end_at_argument();
    return std::move(place_);
  }

 private:
  bool is_option(const std::string& word) const {
    return word.starts_with('-') && word != "-" && !arguments_only_;
  }

  void only_arguments() {
    arguments_only_ = true;
    place_.of_other_program = runs_another(*place_.command);
  }

  const CLI::Option* find(const std::string& name) const {
    for (const CLI::Option* option : place_.command->get_options())
      if (std::ranges::count(spellings(*option), name) > 0) return option;
    return nullptr;
  }

  void pass_option(const std::string& word) {
    const auto equals = word.find('=');
    const CLI::Option* option = find(word.substr(0, equals));
    if (option == nullptr || !takes_value(*option)) return;
    if (equals == word.npos)
      waiting_ = option;
    else
      note(*option, word.substr(equals + 1));
  }

  void pass_argument(const std::string& word) {
    if (place_.command == &app_) {
      const auto fits = [&](const CLI::App* one) { return one->get_name() == word; };
      const auto found = app_.get_subcommands(fits);
      place_.command = found.empty() ? nullptr : found.front();
      return;
    }
    if (const CLI::Option* argument = this->argument(); argument != nullptr) note(*argument, word);
    ++arguments_;
    place_.of_other_program = runs_another(*place_.command);
  }

  void end_at_option(const std::string& word) {
    const auto equals = word.find('=');
    if (equals == word.npos || !word.starts_with("--")) return;
    place_.option = find(word.substr(0, equals));
    place_.head = word.substr(0, equals + 1);
    place_.typed = word.substr(equals + 1);
    if (place_.option == nullptr) place_.command = nullptr;
  }

  void end_at_argument() {
    place_.option = argument();
    place_.of_other_program = runs_another(*place_.command);
    if (place_.option == nullptr && !place_.of_other_program) place_.command = nullptr;
  }

  /// The positional argument that is next; the last one if it takes several.
  const CLI::Option* argument() const {
    std::size_t left = arguments_;
    for (const CLI::Option* option : place_.command->get_options()) {
      if (!option->get_positional()) continue;
      if (left == 0 || option->get_expected_max() > 1) return option;
      --left;
    }
    return nullptr;
  }

  void note(const CLI::Option& option, const std::string& value) {
    if (value_name(option) == "CPU" && place_.machine.cpu.empty()) place_.machine.cpu = value;
    if (option.check_lname("input")) place_.machine.input = value;
    if (option.check_lname("sysfs")) place_.machine.sysfs = value;
    if (option.check_lname("events") && value_name(option) == "DIR") place_.machine.events = value;
  }

  const CLI::App& app_;
  Place place_;
  const CLI::Option* waiting_ = nullptr;  ///< for its value
  std::size_t arguments_ = 0;             ///< positional ones so far
  bool arguments_only_ = false;
};

}  // namespace

Place find_place(const CLI::App& app, std::span<const std::string> words) {
  Walk walk(app);
  if (words.empty()) return walk.end_at("");
  for (const std::string& word : words.first(words.size() - 1)) walk.pass(word);
  return walk.end_at(words.back());
}

}  // namespace evname::tools
