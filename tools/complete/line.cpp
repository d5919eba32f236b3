#include "complete/line.hpp"

namespace evname::tools {
namespace {

constexpr std::string_view kBlanks = " \t\n";
constexpr std::string_view kQuotes = "'\"";

}  // namespace

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

}  // namespace evname::tools
