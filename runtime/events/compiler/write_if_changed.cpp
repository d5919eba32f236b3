#include "events/compiler/write_if_changed.hpp"

#include <cstdint>
#include <cstdio>

#include "base/read_file.hpp"

namespace evname::compiler {

bool write_if_changed(const std::string& path, std::string_view content) {
  if (const auto old = read_text_file(path, SIZE_MAX); old && *old == content) return true;
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return false;
  const bool is_written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  return std::fclose(file) == 0 && is_written;
}

}  // namespace evname::compiler
