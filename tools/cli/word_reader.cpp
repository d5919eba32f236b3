#include "cli/word_reader.hpp"

#include <algorithm>

namespace evname::tools {
namespace {

bool is_negative_number(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && word[1] >= '0' && word[1] <= '9';
}

/// Returns true for "-x", "--" and "--word", which are values only in the form --option=VALUE.
bool looks_like_option(std::string_view word) {
  return word.starts_with("--") ||
         (word.size() == 2 && word[0] == '-' && !is_negative_number(word));
}

}  // namespace

bool Option::Row::is_spelled(std::string_view word) const {
  return word.starts_with("--") ? std::ranges::count(words, word.substr(2)) > 0
                                : std::ranges::count(letters, word.substr(1)) > 0;
}

WordReader::WordReader(std::span<const std::unique_ptr<Option::Row>> rows, std::string& title,
                       std::vector<std::string>& words)
    : rows_(rows), given_{title.data()} {
  for (std::string& word : words) given_.push_back(word.data());
  given_.push_back(nullptr);
  const bool takes_words = std::ranges::any_of(rows, [](const auto& row) {
    return !row->argument.empty() || (row->takes_many && !row->one_value_each);
  });
  letters_ = takes_words ? "-:" : "+:";  // "+": the first word that is not an option ends them
  for (const auto& row : rows) {
    for (const std::string& letter : row->letters)
      letters_ += letter + (row->bare ? "::" : row->takes_value ? ":" : "");
    for (const std::string& word : row->words) {
      const int takes = row->bare ? optional_argument : row->takes_value ? required_argument : 0;
      names_.push_back(
          {word.c_str(), takes, nullptr, kFirstWord + static_cast<int>(of_names_.size())});
      of_names_.push_back(row.get());
    }
  }
  names_.push_back({});
}

Option::Row* WordReader::row_of(int found) const {
  if (found >= kFirstWord) return of_names_[static_cast<std::size_t>(found - kFirstWord)];
  return row_spelled(std::string{'-', static_cast<char>(found)});
}

Option::Row* WordReader::row_spelled(std::string_view word) const {
  if (word.size() < 2 || word[0] != '-') return nullptr;
  const std::string_view name = word.substr(0, word.find('='));
  for (const auto& row : rows_)
    if (row->is_spelled(name)) return row.get();
  return nullptr;
}

void WordReader::take_argument(const char* word) {
  const auto takes_it = [](const auto& row) {
    return !row->argument.empty() && (row->takes_many || row->given.empty());
  };
  const auto row = std::ranges::find_if(rows_, takes_it);
  if (list_ != nullptr)
    list_->given.emplace_back(word);
  else if (row != rows_.end())
    (*row)->given.emplace_back(word);
  else
    extra_ = word;
}

std::string WordReader::take_option(Option::Row& row, bool is_next_word) {
  if (is_next_word && (looks_like_option(optarg) || row_spelled(optarg) != nullptr))
    return row.without_value();
  const char* const given = optarg != nullptr || !row.bare ? optarg : row.bare->c_str();
  row.given.emplace_back(row.takes_value ? given : "");
  row.places.push_back(row.other != nullptr ? row.other->given.size() : 0);
  list_ = row.takes_many && !row.one_value_each ? &row : nullptr;
  return {};
}

std::string WordReader::refuse(const std::string& word, int found) {
  const Option::Row* row = optopt == 0 ? nullptr : row_of(optopt);
  if (row != nullptr) return found == ':' ? row->without_value() : row->name() + " takes no value";
  extra_ = optopt == 0 ? word : std::string{'-', static_cast<char>(optopt)};
  return {};
}

std::string WordReader::read() {
  const int count = static_cast<int>(given_.size()) - 1;
  const bool stops = letters_[0] == '+';
  std::string mistake;
  opterr = optind = 0;
  getopt_long(1, given_.data(), letters_.c_str(), names_.data(), nullptr);  // starts anew
  for (optind = 1; optind < count && mistake.empty() && extra_.empty();) {
    const std::string word = given_[static_cast<std::size_t>(optind)];
    int index = -1;
    if (!stops && is_negative_number(word)) {
      take_argument(given_[static_cast<std::size_t>(optind++)]);
      continue;
    }
    const int found = getopt_long(count, given_.data(), letters_.c_str(), names_.data(), &index);
    if (found == -1) break;
    if (found == 1)
      take_argument(optarg);
    else if (found == '?' || found == ':')
      mistake = refuse(word, found);
    else if (index >= 0 && row_spelled(word) == nullptr)
      extra_ = word;  // getopt_long() accepts the beginning of a name, too
    else
      mistake = take_option(*row_of(found), optarg == given_[static_cast<std::size_t>(optind) - 1]);
  }
  list_ = nullptr;
  while (!stops && optind < count && mistake.empty() && extra_.empty())  // after "--"
    take_argument(given_[static_cast<std::size_t>(optind++)]);
  return mistake;
}

std::vector<std::string> WordReader::rest() const {
  return {given_.begin() + optind, given_.end() - 1};
}

}  // namespace evname::tools
