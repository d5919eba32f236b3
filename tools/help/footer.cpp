#include "help/footer.hpp"

#include <fmt/format.h>

namespace evname::tools {
namespace {

constexpr std::size_t kWidth = 80;

/// The words of a paragraph in lines of at most kWidth columns.
std::string filled(std::string_view text) {
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const auto space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text = space == text.npos ? "" : text.substr(space + 1);
    if (column > 0 && column + 1 + word.size() > kWidth) {
      out += '\n';
      column = 0;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + '\n';
}

std::string examples_text(const Subcommand& row) {
  std::string out = row.examples[1].line.empty() ? "Example:\n" : "Examples:\n";
  for (const Example& example : row.examples)
    if (!example.line.empty()) out += fmt::format("  # {}\n  {}\n", example.what, example.line);
  out.pop_back();  // CLI11 ends it
  return out;
}

}  // namespace

std::string footer_of(const Subcommand& row, const std::string& notes) {
  std::string out;
  if (!notes.empty()) out += notes + "\n\n";
  if (!row.keys.empty()) out += filled(fmt::format("Keys of --json: {}", row.keys)) + "\n";
  return out + examples_text(row);
}

std::string top_footer() {
  std::string out = "Exit codes:\n";
  for (const auto& [code, meaning] : kExitCodes) out += fmt::format("  {}  {}\n", code, meaning);
  return out + "\n`evname SUBCOMMAND --help` has examples; `man evname` says the same and more.";
}

}  // namespace evname::tools
