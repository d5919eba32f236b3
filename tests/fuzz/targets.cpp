// Runs a fuzz target. With libFuzzer, the program's name chooses it, fuzz-TARGET, or
// EVNAME_FUZZ_TARGET. Without, it only goes through files: fuzz-targets TARGET FILE|DIRECTORY…

#include "fuzz/target.hpp"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

namespace fs = std::filesystem;
using evname::fuzz::Target;

/// Returns nullptr, and lists the targets, if there is none of this name.
Target find_target(std::string_view name) {
  const auto& all = evname::fuzz::targets();
  if (const auto found = all.find(name); found != all.end()) return found->second;
  std::fprintf(stderr, "fuzz-targets: no such target; there are:\n");
  for (const auto& [known, target] : all) std::fprintf(stderr, "  %s\n", known.data());
  return nullptr;
}

}  // namespace

#ifdef EVNAME_LIBFUZZER

namespace {
Target chosen = nullptr;
}

extern "C" int LLVMFuzzerInitialize(int*, char*** argv) {
  constexpr std::string_view kPrefix = "fuzz-";
  const char* const asked = std::getenv("EVNAME_FUZZ_TARGET");
  std::string name = asked ? asked : fs::path((*argv)[0]).filename().string();
  if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
  chosen = find_target(name);
  if (chosen == nullptr) std::exit(2);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return chosen(data, size);
}

#else

namespace {

std::size_t replay(Target target, const fs::path& path) {
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
  const Target target = find_target(argc > 1 ? argv[1] : "");
  if (target == nullptr) return 2;
  std::size_t count = 0;
  for (int i = 2; i < argc; ++i) count += replay(target, argv[i]);
  std::printf("%zu inputs\n", count);
  return count > 0 ? 0 : 1;
}

#endif
