#include "screen/screen.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <random>

#include "output/standard.hpp"

namespace evname::tools {
namespace {

/// What each screen is; this file's only global.
struct Screens {
  struct One {
    bool terminal = false, colored = false;
  };
  std::array<One, 2> screens{One{isatty(STDOUT_FILENO) != 0}, One{isatty(STDERR_FILENO) != 0}};
  /// Begins a mark, which a letter ends: of Role, from 'a', or kPlain. It is another one in each
  /// process, so that no file can have it in it.
  std::string mark;

  One& of(Screen screen) { return screens[static_cast<std::size_t>(screen)]; }
};
Screens g_screens;

/// ECMA-48 "select graphic rendition", in the order of Role.
constexpr std::string_view kRenditions[] = {"1", "36", "1;4", "32", "31", "1;31", "33", "36"};
constexpr char kPlain = 'z';

bool wanted(const std::string& color, bool terminal) {
  if (color != "auto") return color == "always";
  return environment_of("NO_COLOR").empty() && environment_of("TERM") != "dumb" && terminal;
}

std::string marked(Screen screen, Role role, std::string_view text) {
  if (!g_screens.of(screen).colored || text.empty()) return std::string(text);
  return fmt::format("{0}{1}{2}{0}{3}", g_screens.mark,
                     static_cast<char>('a' + static_cast<int>(role)), text, kPlain);
}

std::string rendition(char letter) {
  return letter == kPlain ? "\x1b[0m" : fmt::format("\x1b[{}m", kRenditions[letter - 'a']);
}

/// How many bytes at the beginning of `text` are one character that a terminal shows; 0: none.
std::size_t shown_size(std::string_view text) {
  const auto byte = [&](std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return (lead >= 0x20 && lead != 0x7f) || lead == '\n' || lead == '\t';
  const std::size_t size = lead >= 0xc2 && lead < 0xe0   ? 2
                           : lead >= 0xe0 && lead < 0xf0 ? 3
                           : lead >= 0xf0 && lead < 0xf5 ? 4
                                                         : 0;
  for (std::size_t at = 1; at < size; ++at)
    if (byte(at) >> 6 != 2) return 0;
  const bool control = lead == 0xc2 && byte(1) < 0xa0;  // U+0080 to U+009F
  return control ? 0 : size;
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
  for (Screens::One& screen : g_screens.screens)
    screen.colored = wanted(options.color, screen.terminal);
  std::random_device random;
  g_screens.mark = fmt::format("\x1b{:08x}{:08x}", random(), random());
}

bool is_terminal(Screen screen) { return g_screens.of(screen).terminal; }

std::string screen_text(Screen screen, std::string text) {
  const Screens::One& one = g_screens.of(screen);
  if (!one.terminal && !one.colored) return text;
  const std::string& mark = g_screens.mark;
  std::string out;
  for (std::string_view left = text; !left.empty();) {
    const bool is_mark = one.colored && left.starts_with(mark) && left.size() > mark.size();
    const std::size_t size = is_mark ? mark.size() + 1 : one.terminal ? shown_size(left) : 1;
    if (is_mark)
      out += rendition(left[mark.size()]);
    else if (size == 0)
      out += '?';
    else
      out += left.substr(0, size);
    left.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

std::string colored(Role role, std::string_view text) { return marked(Screen::out, role, text); }

std::string colored(Role role, std::string_view text, std::size_t width) {
  return colored(role, text) + std::string(text.size() < width ? width - text.size() : 0, ' ');
}

std::string colored_error(Role role, std::string_view text) {
  return marked(Screen::error, role, text);
}

void tell(Role role, std::string_view head, std::string_view text) {
  to_stderr(fmt::format("{} {}\n", colored_error(role, head), text));
}

}  // namespace evname::tools
