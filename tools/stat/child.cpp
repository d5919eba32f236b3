#include "stat/child.hpp"

#include <fcntl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include "input/open_files.hpp"

namespace evname::tools {
namespace {

[[noreturn]] void execute(const std::vector<std::string>& command, const sigset_t& signals, int go,
                          int failed) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  char byte;
  if (::read(go, &byte, 1) != 1) _exit(0);  // the parent gave up
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  setrlimit(RLIMIT_NOFILE, &original_file_limit());
  execvp(arguments[0], arguments.data());
  const int error = errno;
  [[maybe_unused]] const auto told = ::write(failed, &error, sizeof error);
  _exit(127);
}

}  // namespace

AwaitedSignals::AwaitedSignals(int more) {
  sigemptyset(&awaited_);
  if (more != 0) sigaddset(&awaited_, more);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) sigaddset(&awaited_, signal);
  sigprocmask(SIG_BLOCK, &awaited_, &before_);
  file_ = signalfd(-1, &awaited_, SFD_CLOEXEC | SFD_NONBLOCK);
}

AwaitedSignals::~AwaitedSignals() {
  if (file_ >= 0) close(file_);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

int AwaitedSignals::next(unsigned milliseconds, pid_t* sender) const {
  siginfo_t info{};
  timespec wait{};
  wait.tv_sec = milliseconds / 1000;
  wait.tv_nsec = static_cast<long>(milliseconds % 1000) * 1'000'000;
  const int signal = sigtimedwait(&awaited_, &info, &wait);
  if (sender != nullptr) *sender = info.si_code == SI_USER ? info.si_pid : 0;
  return signal > 0 ? signal : 0;
}

Result<Child> Child::prepare(const std::vector<std::string>& command,
                             const AwaitedSignals& signals) {
  int go[2], failed[2];
  if (pipe2(go, O_CLOEXEC) != 0 || pipe2(failed, O_CLOEXEC) != 0)
    return fail(Errc::io, std::strerror(errno));
  const pid_t pid = fork();
  if (pid < 0) return fail(Errc::io, std::strerror(errno));
  if (pid == 0) {
    close(go[1]);
    execute(command, signals.before(), go[0], failed[1]);
  }
  close(go[0]);
  close(failed[1]);
  Child child;
  child.pid_ = pid;
  child.go_ = go[1];
  child.failed_ = failed[0];
  return child;
}

Child::Child(Child&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      status_(other.status_),
      usage_(other.usage_),
      go_(std::exchange(other.go_, -1)),
      failed_(std::exchange(other.failed_, -1)) {}

Child::~Child() {
  if (go_ >= 0) close(go_);
  if (failed_ >= 0) close(failed_);
  if (pid_ > 0) reap(0);
}

Result<void> Child::release() {
  if (::write(go_, "!", 1) != 1) return fail(Errc::io, std::strerror(errno));
  int error = 0;
  if (::read(failed_, &error, sizeof error) != sizeof error) return {};
  return fail(Errc::not_found, std::strerror(error));
}

bool Child::reap(int flags) {
  pid_t got;
  do {
    got = wait4(pid_, &status_, flags, &usage_);
  } while (got < 0 && errno == EINTR);
  if (got == 0) return false;
  pid_ = -1;
  return true;
}

bool Child::ended() { return pid_ < 0 || reap(WNOHANG); }

void Child::send(int signal) const {
  if (pid_ > 0) kill(pid_, signal);
}

int Child::status() const {
  return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
}

}  // namespace evname::tools
