#include "output/standard.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/output/output_file.hpp"
#include "base/output/output_place.hpp"
#include "base/read_file.hpp"
#include "events/overlay/overlay.hpp"
#include "evname/machine.hpp"
#include "input/machine.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

constexpr std::size_t kFlush = 1 << 16;

/// The buffer of standard output.
struct Pending {
  std::string text;
  int error = 0;         ///< of errno: some of it could not be written
  bool is_long = false;  ///< after as much as a pipe holds by default
};
Pending g_pending;

bool g_stands_for_perf = false;

/// Finds the existing file of an output path. Returns false if there is none yet.
bool find_file(const std::string& path, struct stat& file) {
  const int descriptor = descriptor_of(path);
  return (descriptor < 0 ? ::stat(path.c_str(), &file) : ::fstat(descriptor, &file)) == 0;
}

/// Returns the canonical name of a file that does not exist yet; "" if its directory does not
/// exist.
std::string future_name(const std::string& path) {
  const auto target = find_target(path);  // follows links to a file that is not there
  std::error_code error;
  if (!target || target->kind != Target::Kind::absent) return {};
  const auto name =
      std::filesystem::weakly_canonical(std::filesystem::absolute(target->path, error), error);
  return error ? std::string() : name.string();
}

}  // namespace

void stand_for_perf() { g_stands_for_perf = true; }
bool stands_for_perf() { return g_stands_for_perf; }

int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(file, text.data(), text.size());
    if (done >= 0) {
      text.remove_prefix(static_cast<std::size_t>(done));
    } else if (errno == EAGAIN) {
      pollfd ready{file, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

void keep_standard_descriptors() {
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(file, F_GETFD) < 0 && errno == EBADF) ::open("/", O_PATH | O_CLOEXEC);
}

// A handler, unlike SIG_IGN, is not passed on to the commands that are run.
void outlive_size_limits() {
  struct sigaction limit = {};
  if (::sigaction(SIGXFSZ, nullptr, &limit) != 0 || limit.sa_handler != SIG_DFL) return;
  limit.sa_handler = [](int) {};
  limit.sa_flags = SA_RESTART;
  ::sigaction(SIGXFSZ, &limit, nullptr);
}

bool flush_output() {
  if (!g_pending.text.empty() && is_terminal(Screen::out)) erase_progress(true);
  if (g_pending.error == 0)
    g_pending.error = write_all(STDOUT_FILENO, screen_text(Screen::out, std::move(g_pending.text)));
  g_pending.text.clear();
  return g_pending.error == 0;
}

bool to_stdout(std::string_view text) {
  if (g_pending.error != 0) return false;
  if (!g_pending.is_long && text.size() + g_pending.text.size() >= kFlush) {
    g_pending.is_long = true;
    widen_pipe(STDOUT_FILENO);
  }
  if (text.size() >= kFlush && shows_all_as_is(Screen::out)) {  // no need of a copy
    if (flush_output()) g_pending.error = write_all(STDOUT_FILENO, text);
    return g_pending.error == 0;
  }
  g_pending.text += text;
  return (g_pending.text.size() < kFlush && !is_terminal(Screen::out)) || flush_output();
}

bool write_output(const std::string& path, std::string_view text,
                  std::span<const std::string> made_from) {
  if (path == "-") return to_stdout(text) && flush_output();
  auto out = OutputFile::create(path, made_from);
  Result<void> done = out ? out->write(text) : fail(out);
  if (done) done = out->commit();
  if (!done) tell_error("{}", done.error().text());
  return done.has_value();
}

void add_force(Command& command, bool& force) {
  command.flag("--force", force,
               "Replace a file even if it is a recording, a program or a library");
}

bool may_replace(const char* option, const std::string& path, std::span<const std::string> inputs,
                 bool force) {
  std::vector<std::string> all(inputs.begin(), inputs.end());
  struct stat there;  // only then the user's directories matter
  if (user_events() == UserEvents::lay_over && find_file(path, there))
    for (std::string& directory : overlay::user_event_directories())
      all.push_back(std::move(directory));
  const auto fine = check_replaceable(path, all, force);
  if (fine) return true;
  const bool can_be_forced = check_replaceable(path, all, true).has_value();
  return tell_error("{} FILE is the output; {}{}", option, fine.error().text(),
                    can_be_forced ? " without --force" : "");
}

Result<void> check_not_printed_into(const std::string& input) {
  if (check_replaceable("-", {&input, 1}, true)) return {};
  return fail(Errc::invalid_argument, "is standard output, too",
              input == "-" ? "standard input" : input);
}

bool is_same_output(const std::string& a, const std::string& b) {
  struct stat of_a, of_b;
  const bool has_a = find_file(a, of_a), has_b = find_file(b, of_b);
  if (a == b) return true;
  if (has_a && has_b)  // outputs to /dev/null can't mix
    return is_same_file(of_a, of_b) && (S_ISREG(of_a.st_mode) || S_ISFIFO(of_a.st_mode));
  if (has_a || has_b) return false;
  const std::string name = future_name(a);
  return !name.empty() && name == future_name(b);
}

Failed tell_unwritten(const std::string& output, const Error& error) {
  pollfd out{STDOUT_FILENO, 0, 0};
  const bool has_left = output == "-" && ::poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0;
  return has_left ? Failed() : tell_error("{}", error.text());
}

int finish_output(int code) {
  flush_output();
  if (g_pending.error == 0 && ::close(STDOUT_FILENO) != 0 && errno != EINTR)
    g_pending.error = errno;  // some file systems report errors only here
  if (g_pending.error == 0) return code;
  if (g_pending.error != EPIPE) tell_error("standard output: {}", std::strerror(g_pending.error));
  return kUnusable;
}

bool to_stderr(std::string_view text) {
  erase_progress(false);
  return write_all(STDERR_FILENO, screen_text(Screen::error, std::string(text))) == 0;
}

void draw(std::string_view text) { write_all(STDERR_FILENO, text); }

}  // namespace evname::tools
