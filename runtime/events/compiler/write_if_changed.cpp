#include "events/compiler/write_if_changed.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <memory>

namespace evname::compiler {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open(const std::string& path, const char* mode) {
  return {std::fopen(path.c_str(), mode), &std::fclose};
}

bool holds(std::FILE* file, std::string_view content) {
  std::array<char, 1 << 16> part;
  while (!content.empty()) {
    const std::size_t size = std::min(part.size(), content.size());
    if (std::fread(part.data(), 1, size, file) != size ||
        std::memcmp(part.data(), content.data(), size) != 0)
      return false;
    content.remove_prefix(size);
  }
  return true;
}

bool holds(const std::string& path, std::span<const std::string_view> pieces) {
  const File file = open(path, "rb");
  if (!file) return false;
  for (const std::string_view piece : pieces)
    if (!holds(file.get(), piece)) return false;
  return std::fgetc(file.get()) == EOF;
}

}  // namespace

bool write_if_changed(const std::string& path, std::span<const std::string_view> pieces) {
  if (holds(path, pieces)) return true;
  File file = open(path, "wb");
  if (!file) return false;
  bool written = true;
  for (const std::string_view piece : pieces)
    written &= std::fwrite(piece.data(), 1, piece.size(), file.get()) == piece.size();
  return std::fclose(file.release()) == 0 && written;
}

bool write_if_changed(const std::string& path, std::string_view content) {
  return write_if_changed(path, {&content, 1});
}

}  // namespace evname::compiler
