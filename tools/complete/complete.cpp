#include "complete/complete.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "complete/candidates.hpp"
#include "complete/place.hpp"
#include "input/recording.hpp"
#include "output/standard.hpp"

namespace evname::tools {
namespace {

constexpr std::string_view kHow[] = {"words", "list", "files", "dirs"};  // in How's order

Answer options_of(const Command& command) {
  Answer answer;
  for (const Option& option : command.options())
    for (std::string& name : option.spellings())
      answer.candidates.push_back({std::move(name), option.about()});
  return answer;
}

Answer subcommands_of(const Program& program) {
  Answer answer;
  for (const auto& command : program.commands())
    answer.candidates.push_back({command->name(), command->about()});
  return answer;
}

Answer answer_at(const Program& program, const Place& place) {
  if (place.of_other_program) return {How::files, {}};
  if (place.command == nullptr) return {};
  if (place.option) return values_of(place);
  return place.typed.starts_with('-') ? options_of(*place.command) : subcommands_of(program);
}

/// Names of files are not ours to choose: no control character gets to the shell.
bool is_word(const std::string& text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
}

std::string line_of(const std::string& about) {
  std::string out = about;
  std::ranges::replace_if(
      out, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  return out;
}

/// `cut` is how much of each word the shell keeps itself.
int print(const Answer& answer, const Place& place, std::size_t cut, bool described) {
  std::string out = fmt::format("{}\n", kHow[static_cast<std::size_t>(answer.how)]);
  for (const Candidate& candidate : answer.candidates) {
    if (!candidate.text.starts_with(place.typed) || !is_word(candidate.text)) continue;
    const std::string word = place.head + candidate.text;
    out += word.substr(std::min(cut, word.size()));
    if (described && !candidate.about.empty()) out += "\t" + line_of(candidate.about);
    out += '\n';
  }
  return to_stdout(out) ? kDone : kUnusable;
}

/// A line of shell input, as far as the cursor.
struct Line {
  std::vector<std::string> words;  ///< without their quotes; the last is at the cursor, maybe empty
  std::size_t break_at = 0;        ///< from here on, bash takes the last word for one of its own
};

constexpr std::string_view kBlanks = " \t\n";
constexpr std::string_view kQuotes = "'\"";

/// Splits at spaces, outside quotes; `breaks` are the other characters bash parts words at.
Line split_line(std::string_view text, std::string_view breaks) {
  Line line;
  line.words.emplace_back();
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    std::string& word = line.words.back();
    if (quote != 0 && c == quote) {
      quote = 0;
    } else if (quote == 0 && kQuotes.find(c) != kQuotes.npos) {
      quote = c;
      line.break_at = word.size();
    } else if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
    } else if (quote == 0 && kBlanks.find(c) != kBlanks.npos) {
      if (!word.empty()) line.words.emplace_back();
      line.break_at = 0;
    } else {
      word += c;
      if (quote == 0 && breaks.find(c) != breaks.npos) line.break_at = word.size();
    }
  }
  return line;
}

}  // namespace

int complete(const Program& program, const std::vector<std::string>& words) {
  constexpr std::size_t kFirst = 3;  // after "complete SHELL --"
  if (words.size() <= kFirst) return kUnusable;
  const bool bash = words[1] == "bash";
  Line line;
  if (bash)
    line = split_line(words[kFirst], words.size() > kFirst + 1 ? words[kFirst + 1] : "");
  else
    line.words.assign(words.begin() + kFirst, words.end());
  const Place place = find_place(program, std::span(line.words).subspan(1));
  return print(answer_at(program, place), place, line.break_at, !bash);
}

}  // namespace evname::tools
