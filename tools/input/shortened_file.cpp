#include "input/shortened_file.hpp"

#include <unistd.h>

#include <csignal>
#include <cstring>

#include "cli/command.hpp"

namespace evname::tools {
namespace {

// A handler can call little more than write(2), so the message is ready before.
char message[1024];
int files = 0;

void set_message(const std::string& path) {
  std::string text = "evname: ";
  // Which of several it is would have to be looked up by the address.
  text += ++files == 1 ? path.substr(0, sizeof message / 2) : std::string("one of the files");
  text += ": became shorter while it was read\n";
  std::memcpy(message, text.c_str(), text.size() + 1);
}

void on_bus_error(int signal, siginfo_t* info, void*) {
  if (info->si_code != BUS_ADRERR) {
    ::raise(signal);  // by now the default, which ends the process
    return;
  }
  [[maybe_unused]] const ssize_t told = ::write(STDERR_FILENO, message, std::strlen(message));
  ::_exit(kUnusable);
}

}  // namespace

void watch_for_shortened_files(const std::string& path) {
  set_message(path);
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_RESETHAND;
  ::sigaction(SIGBUS, &action, nullptr);
}

}  // namespace evname::tools
