#include "complete/complete.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "command.hpp"
#include "complete/line.hpp"
#include "complete/place.hpp"
#include "complete/values.hpp"
#include "help/option_model.hpp"
#include "perf_file.hpp"

namespace evname::tools {
namespace {

constexpr std::string_view kHow[] = {"words", "list", "files", "dirs"};  // in How's order

Answer options_of(const CLI::App& command) {
  Answer answer;
  for (const CLI::Option* option : command.get_options())
    for (std::string& name : spellings(*option))
      answer.candidates.push_back({std::move(name), option->get_description()});
  return answer;
}

Answer subcommands_of(const CLI::App& app) {
  Answer answer;
  for (const CLI::App* command : app.get_subcommands({}))
    answer.candidates.push_back({command->get_name(), command->get_description()});
  return answer;
}

Answer answer_at(const CLI::App& app, const Place& place) {
  if (place.of_other_program) return {How::files, {}};
  if (place.command == nullptr) return {};
  if (place.option != nullptr) return values_of(place);
  return place.typed.starts_with('-') ? options_of(*place.command) : subcommands_of(app);
}

/// Names of files are not ours to choose: no control character gets to the shell.
bool is_word(const std::string& text) {
  return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
}

std::string line_of(const std::string& about) {
  std::string out = about;
  std::ranges::replace_if(out, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
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

}  // namespace

int complete(const CLI::App& app, const std::vector<std::string>& words) {
  constexpr std::size_t kFirst = 3;  // behind "complete SHELL --"
  if (words.size() <= kFirst) return kUnusable;
  const bool bash = words[1] == "bash";
  Line line;
  if (bash)
    line = split_line(words[kFirst], words.size() > kFirst + 1 ? words[kFirst + 1] : "");
  else
    line.words.assign(words.begin() + kFirst, words.end());
  const Place place = find_place(app, std::span(line.words).subspan(1));
  return print(answer_at(app, place), place, line.break_at, !bash);
}

}  // namespace evname::tools
