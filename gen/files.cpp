#include "files.hpp"

#include <cstdio>
#include <memory>

#include "base/text.hpp"

namespace evname::gen {

bool write_if_changed(const std::string& path, std::string_view content) {
  if (const auto old = read_text_file(path, kFileLimit); old && *old == content) return true;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"),
                                                       &std::fclose);
  if (!file) return false;
  const bool written = std::fwrite(content.data(), 1, content.size(), file.get()) == content.size();
  return std::fclose(file.release()) == 0 && written;
}

}  // namespace evname::gen
