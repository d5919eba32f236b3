// Runs a fuzz target over files, where libFuzzer isn't built in: fuzz-targets TARGET
// FILE|DIRECTORY…

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/target.hpp"

namespace {

namespace fs = std::filesystem;

std::size_t replay(evname::fuzz::Target target, const fs::path& path) {
  if (fs::is_directory(path)) {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(path)) count += replay(target, entry.path());
    return count;
  }
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  target(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const auto found = evname::fuzz::targets().find(argc > 1 ? argv[1] : "");
  if (found == evname::fuzz::targets().end()) {
    std::fprintf(stderr, "fuzz-targets: no such target; there are:\n");
    for (const auto& [name, target] : evname::fuzz::targets())
      std::fprintf(stderr, "%s\n", name.data());
    return 2;
  }
  std::size_t count = 0;
  for (int i = 2; i < argc; ++i) count += replay(found->second, argv[i]);
  std::printf("%zu inputs\n", count);
  return count > 0 ? 0 : 1;
}
