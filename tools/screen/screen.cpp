#include "screen/screen.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace evname::tools {
namespace {

/// Whether standard output and standard error are coloured; this command's only global.
struct Colored {
  bool out = false, error = false;
};
Colored g_colored;

/// ECMA-48 "select graphic rendition", in the order of Role.
constexpr std::string_view kRenditions[] = {"1", "36", "1;4", "32", "31", "1;31", "33", "36"};

bool wanted(const std::string& color, int file) {
  if (color != "auto") return color == "always";
  return environment_of("NO_COLOR").empty() && environment_of("TERM") != "dumb" && isatty(file);
}

std::string rendered(bool on, Role role, std::string_view text) {
  if (!on || text.empty()) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", kRenditions[static_cast<std::size_t>(role)], text);
}

}  // namespace

std::string_view environment_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

void ScreenOptions::add_to(Command& command, bool pages) {
  command.option("--color", color, "Colours: auto is on a terminal where NO_COLOR is not set")
      .value_name("WHEN")
      .one_of({"auto", "always", "never"});
  if (pages) command.flag("--no-pager", no_pager, "No pager for long output on a terminal");
}

void choose_colors(const ScreenOptions& options) {
  g_colored = {wanted(options.color, STDOUT_FILENO), wanted(options.color, STDERR_FILENO)};
}

std::string colored(Role role, std::string_view text) {
  return rendered(g_colored.out, role, text);
}

std::string colored(Role role, std::string_view text, std::size_t width) {
  return rendered(g_colored.out, role, text) +
         std::string(text.size() < width ? width - text.size() : 0, ' ');
}

std::string colored_error(Role role, std::string_view text) {
  return rendered(g_colored.error, role, text);
}

void tell(Role role, std::string_view head, std::string_view text) {
  fmt::print(stderr, "{} {}\n", colored_error(role, head), text);
}

}  // namespace evname::tools
