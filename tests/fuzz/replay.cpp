// Runs a fuzz target over files, where libFuzzer isn't built in: fuzz-TARGET FILE|DIRECTORY…

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;

std::size_t replay(const fs::path& path) {
  if (fs::is_directory(path)) {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(path)) count += replay(entry.path());
    return count;
  }
  std::ifstream in(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = 0;
  for (int i = 1; i < argc; ++i) count += replay(argv[i]);
  std::printf("%zu inputs\n", count);
  return count > 0 ? 0 : 1;
}
