#include "screen/pager.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "cli/command.hpp"
#include "output/standard.hpp"
#include "screen/screen.hpp"

namespace evname::tools {
namespace {

constexpr const char* kDefaultPager = "less -FRX";
constexpr int kNotExecutable = 126, kNotStarted = 127;  // as shells have it
volatile sig_atomic_t g_pager = 0;                      // its process; 0: there is none

void wait_for_pager() {
  while (waitpid(g_pager, nullptr, 0) < 0 && errno == EINTR) {
  }
}

/// The reader has quit the pager.
void on_closed_pipe(int) {
  wait_for_pager();
  _exit(kDone);
}

const char* pager_command() {
  const char* own = ::secure_getenv("EVNAME_PAGER");
  const char* any = ::secure_getenv("PAGER");
  return own != nullptr ? own : any != nullptr ? any : kDefaultPager;
}

/// Copies the text to standard output, if no pager shows it.
[[noreturn]] void copy_through() {
  char buffer[BUFSIZ];
  for (ssize_t size; (size = ::read(STDIN_FILENO, buffer, sizeof buffer)) > 0;)
    for (ssize_t done = 0; done < size;) {
      const ssize_t written =
          ::write(STDOUT_FILENO, buffer + done, static_cast<std::size_t>(size - done));
      if (written < 0) _exit(1);
      done += written;
    }
  _exit(0);
}

[[noreturn]] void become_pager(const char* command) {
  std::signal(SIGINT, SIG_DFL);
  setenv("LESS", "FRX", 0);  // a plain `less` shows colours, and leaves at the end of a short text
  if (std::string_view(command) == kDefaultPager)
    execlp("less", "less", "-FRX", nullptr);
  else
    execl("/bin/sh", "sh", "-c", command, nullptr);
  _exit(kNotStarted);
}

/// Waits for the pager; without one, or if the shell found none, its input still gets through.
[[noreturn]] void run_pager(const char* command) {
  const pid_t pid = fork();
  if (pid == 0) become_pager(command);
  int status = 0;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const bool none = WIFEXITED(status) &&
                    (WEXITSTATUS(status) == kNotStarted || WEXITSTATUS(status) == kNotExecutable);
  if (pid < 0 || none) copy_through();
  _exit(0);
}

bool is_none(std::string_view command) { return command.empty() || command == "cat"; }

}  // namespace

Pager::Pager(bool wanted) {
  if (!wanted || !isatty(STDOUT_FILENO) || environment_of("TERM") == "dumb") return;
  if (const char* command = pager_command(); !is_none(command)) start(command);
}

void Pager::start(const char* command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return;
  flush_output();
  const pid_t pid = fork();
  if (pid == 0) {
    std::signal(SIGINT, SIG_IGN);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);  // or copy_through() would wait for itself
    run_pager(command);
  }
  if (pid > 0) {
    g_pager = pid;
    std::signal(SIGPIPE, on_closed_pipe);
    std::signal(SIGINT, SIG_IGN);  // is for the pager, for example to interrupt a search
    for (const int file : {STDOUT_FILENO, STDERR_FILENO})
      if (isatty(file)) {
        kept_[file] = fcntl(file, F_DUPFD_CLOEXEC, 0);
        dup2(ends[1], file);
      }
  }
  close(ends[0]);
  close(ends[1]);
}

Pager::~Pager() {
  if (g_pager == 0) return;
  flush_output();
  for (const int file : {STDOUT_FILENO, STDERR_FILENO})
    if (kept_[file] >= 0) dup2(kept_[file], file);  // which closes the pipe
  wait_for_pager();
}

}  // namespace evname::tools
