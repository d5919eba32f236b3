#include "stat/child.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace evname::tools {
namespace {

[[noreturn]] void run(const std::vector<std::string>& command, int go, int failed) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  char byte;
  if (read(go, &byte, 1) != 1) _exit(0);  // the parent gave up
  execvp(arguments[0], arguments.data());
  const int error = errno;
  [[maybe_unused]] const auto told = write(failed, &error, sizeof error);
  _exit(127);
}

}  // namespace

Result<Child> Child::prepare(const std::vector<std::string>& command) {
  int go[2], failed[2];
  if (pipe2(go, O_CLOEXEC) != 0 || pipe2(failed, O_CLOEXEC) != 0)
    return fail(Errc::io, std::strerror(errno));
  const pid_t pid = fork();
  if (pid < 0) return fail(Errc::io, std::strerror(errno));
  if (pid == 0) {
    close(go[1]);
    run(command, go[0], failed[1]);
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
      go_(std::exchange(other.go_, -1)),
      failed_(std::exchange(other.failed_, -1)) {}

Child::~Child() {
  if (go_ >= 0) close(go_);
  if (failed_ >= 0) close(failed_);
  if (pid_ > 0) wait();
}

Result<void> Child::release() {
  if (write(go_, "!", 1) != 1) return fail(Errc::io, std::strerror(errno));
  int error = 0;
  if (read(failed_, &error, sizeof error) != sizeof error) return {};
  return fail(Errc::not_found, std::strerror(error));
}

int Child::wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace evname::tools
