#pragma once
// Returns the output of a command.

#include <cstdio>
#include <memory>
#include <string>

namespace evname::test {

inline std::string output_of(const std::string& command) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(
      ::popen((command + " 2>/dev/null").c_str(), "r"), &::pclose);
  std::string text;
  char buffer[1 << 14];
  for (std::size_t got; (got = std::fread(buffer, 1, sizeof buffer, pipe.get())) > 0;)
    text.append(buffer, got);
  return text;
}

}  // namespace evname::test
