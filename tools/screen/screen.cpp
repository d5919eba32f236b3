#include "screen/screen.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <random>
#include <utility>

#include "base/enum_table.hpp"
#include "base/json_text.hpp"
#include "base/text.hpp"
#include "output/standard.hpp"

namespace evname::tools {

namespace {

/// The kind of each stream.
struct Screens {
  struct One {
    bool terminal = false, colored = false;
  };
  One out{isatty(STDOUT_FILENO) != 0}, error{isatty(STDERR_FILENO) != 0};
  /// Begins a mark, which ends with a letter: for a Role, from 'a', or kPlain. It differs between
  /// processes, so that no file can contain it.
  std::string mark;

  One& of(Screen screen) { return screen == Screen::out ? out : error; }
};
Screens& screens() {
  static Screens all;
  return all;
}

/// ECMA-48 "select graphic rendition".
constexpr auto kRenditions = enum_values<Role>({{Role::event, "1"},
                                                {Role::pmu, "36"},
                                                {Role::heading, "1;4"},
                                                {Role::added, "32"},
                                                {Role::removed, "31"},
                                                {Role::error, "1;31"},
                                                {Role::warning, "33"},
                                                {Role::note, "36"}});
constexpr char kPlain = 'z';

bool wanted(const std::string& color, bool terminal) {
  if (color != "auto") return color == "always";
  return environment_of("NO_COLOR").empty() && environment_of("TERM") != "dumb" && terminal;
}

std::string marked(Screen screen, Role role, std::string_view text) {
  if (!screens().of(screen).colored || text.empty()) return std::string(text);
  return fmt::format("{0}{1}{2}{0}{3}", screens().mark,
                     static_cast<char>('a' + static_cast<int>(role)), text, kPlain);
}

std::string rendition(char letter) {
  return letter == kPlain ? "\x1b[0m"
                          : fmt::format("\x1b[{}m", kRenditions[Role{letter - 'a'}].value);
}

/// Non-ASCII characters that control a terminal or move other characters: the general categories
/// Cc, Cf, Zl and Zp of Unicode 15, from the first of each row to the last.
constexpr std::uint32_t kActedOn[][2] = {
    {0x80, 0x9f},       {0xad, 0xad},       {0x600, 0x605},     {0x61c, 0x61c},
    {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},     {0x8e2, 0x8e2},
    {0x180e, 0x180e},   {0x200b, 0x200f},   {0x2028, 0x202e},   {0x2060, 0x206f},
    {0xfeff, 0xfeff},   {0xfff9, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd},
    {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe007f}};

/// Returns the first character of well-formed UTF-8.
std::string_view first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  return text.substr(0, lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0x80 ? 2 : 1);
}

/// Returns true if a terminal acts on the character.
bool is_acted_on(std::string_view character) {
  const char lead = character[0];
  if (character.size() == 1) return is_control(lead) && lead != '\n' && lead != '\t';
  std::uint32_t code = static_cast<unsigned char>(lead) & (0x7fU >> character.size());
  for (const char next : character.substr(1))
    code = code << 6 | (static_cast<unsigned char>(next) & 0x3f);
  return std::ranges::any_of(kActedOn,
                             [&](const auto& row) { return code >= row[0] && code <= row[1]; });
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
  if (pages)
    command.flag("--no-pager", no_pager, "Print long output on a terminal without a pager");
}

void choose_colors(const ScreenOptions& options) {
  Screens& all = screens();
  for (Screens::One* screen : {&all.out, &all.error})
    screen->colored = wanted(options.color, screen->terminal);
  if (!all.out.colored && !all.error.colored) return;
  std::random_device random;
  all.mark = fmt::format("\x1b{:08x}{:08x}", random(), random());
}

std::size_t help_width() {
  constexpr std::size_t kMost = 100;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kMost;
  return std::min<std::size_t>(size.ws_col, kMost);
}

bool is_terminal(Screen screen) { return screens().of(screen).terminal; }

bool has_blocks(Screen screen) {
  std::string_view locale;
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (locale.empty()) locale = environment_of(name);
  const std::string words = to_lower(locale);
  return is_terminal(screen) && environment_of("TERM") != "dumb" &&
         (words.find("utf-8") != words.npos || words.find("utf8") != words.npos);
}

bool shows_all_as_is(Screen screen) {
  const Screens::One& one = screens().of(screen);
  return !one.terminal && !one.colored;
}

std::string screen_text(Screen screen, std::string text) {
  const Screens::One& one = screens().of(screen);
  if (shows_all_as_is(screen)) return text;
  std::string valid, out;
  if (one.terminal)
    append_utf8(valid, text);
  else
    valid = std::move(text);
  const std::string& mark = screens().mark;
  for (std::string_view left = valid; !left.empty();) {
    std::size_t size = mark.size() + 1;
    if (one.colored && left.starts_with(mark) && left.size() >= size) {
      out += rendition(left[size - 1]);
    } else {
      const std::string_view character = one.terminal ? first_character(left) : left.substr(0, 1);
      size = character.size();
      out += one.terminal && is_acted_on(character) ? "?" : character;
    }
    left.remove_prefix(size);
  }
  return out;
}

std::string one_line(Screen screen, std::string text) {
  if (is_terminal(screen))
    std::ranges::replace_if(
        text, [](char letter) { return letter == '\n' || letter == '\t'; }, '?');
  return text;
}

std::string shell_quoted(std::string_view word) {
  std::string out = "'";
  for (const char letter : word)
    if (letter == '\'')
      out += "'\\''";
    else
      out += letter;
  return out += '\'';
}

std::string as_typed(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  const bool is_plain = !word.empty() && word.find_first_not_of(kPlain) == word.npos;
  return is_plain ? std::string(word) : shell_quoted(word);
}

std::string shortened(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return std::string(text);
  while (bytes > 0 && (text[bytes] & 0xc0) == 0x80) --bytes;  // inside of a letter
  return std::string(text.substr(0, bytes)) + "…";
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char letter : text)
    if (letter == '\n')
      out += "\\n";
    else if (is_control(letter))
      out += fmt::format("\\x{:02x}", letter);
    else
      out += letter;
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
  to_stderr(fmt::format("{} {}\n", colored_error(role, head), escaped(text)));
}

namespace {

/// The line of progress on the terminal, which several threads write.
struct ProgressLine {
  std::mutex mutex;
  bool is_shown = false, has_ended = false;

  void draw(const std::string& text) {
    const std::scoped_lock lock(mutex);
    if (has_ended) return;
    winsize size{};
    const bool is_known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
    const std::size_t width = is_known ? size.ws_col - std::size_t{1} : 79;
    tools::draw(fmt::format("\r{}\x1b[K", text.substr(0, width)));
    is_shown = true;
  }
  void erase(bool last) {
    const std::scoped_lock lock(mutex);
    if (std::exchange(is_shown, false)) tools::draw("\r\x1b[K");
    has_ended |= last;
  }
};
ProgressLine& progress_line() {
  static ProgressLine line;
  return line;
}

/// "300 MB", "512 kB"
std::string amount(std::uint64_t bytes) {
  constexpr std::uint64_t kMany = 10 << 20;
  return bytes < kMany ? fmt::format("{} kB", bytes >> 10) : fmt::format("{} MB", bytes >> 20);
}

std::string time_left(double seconds) {
  constexpr double kMinutes = 100;
  return seconds < kMinutes ? fmt::format("{:.0f} s left", seconds)
                            : fmt::format("{:.0f} min left", seconds / 60);
}

}  // namespace

void erase_progress(bool last) { progress_line().erase(last); }

// Work of less than half a second shows nothing.
Progress::Progress()
    : enabled_(::isatty(STDERR_FILENO) && environment_of("TERM") != "dumb"),
      begin_(Clock::now()),
      earliest_(begin_ + std::chrono::milliseconds(500)),
      next_(earliest_) {}

std::function<bool(std::uint64_t, std::uint64_t)> Progress::callback() {
  if (!enabled_) return {};
  return [this](std::uint64_t done, std::uint64_t total) {
    show(done, total);
    return true;
  };
}

void Progress::show(std::uint64_t done, std::uint64_t total) {
  const auto now = Clock::now();
  if (done == 0 || done < done_) begin_ = now;  // another pass
  done_ = done;
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::string text = "evname: ";
  text += total > 0 ? fmt::format("{:3} % of {}", done * 100 / total, amount(total)) : amount(done);
  if (rate > 0) text += fmt::format(", {}/s", amount(static_cast<std::uint64_t>(rate)));
  if (rate > 0 && total > done) text += ", " + time_left(static_cast<double>(total - done) / rate);
  progress_line().draw(text);
}

void Progress::show(std::string_view what) {
  if (enabled_ && Clock::now() >= earliest_) progress_line().draw(fmt::format("evname: {}", what));
}

void Progress::end() { erase_progress(false); }

}  // namespace evname::tools
