#pragma once
// Writes seeds as DIRECTORY/TARGET/seed-NUMBER.

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace evname::fuzz {

class SeedWriter {
 public:
  explicit SeedWriter(std::filesystem::path root) : root_(std::move(root)) {}

  void operator()(const std::string& target, std::string_view bytes) {
    if (begun_.insert(target).second) begin(root_ / target);
    const std::string name = "seed-" + std::to_string(count_++);
    std::ofstream(root_ / target / name, std::ios::binary) << bytes;
  }

 private:
  /// Removes what an older build of this program wrote there.
  static void begin(const std::filesystem::path& directory) {
    std::filesystem::create_directories(directory);
    std::vector<std::filesystem::path> old;
    for (const auto& entry : std::filesystem::directory_iterator(directory))
      if (entry.path().filename().string().starts_with("seed-")) old.push_back(entry.path());
    for (const auto& path : old) std::filesystem::remove(path);
  }

  std::filesystem::path root_;
  std::set<std::string> begun_;
  std::size_t count_ = 0;
};

/// Writes the seeds of the targets that read text.
void write_text_seeds(SeedWriter& write);
/// ELF files that are made for it.
void write_elf_seeds(SeedWriter& write);
/// An ELF file, mapped where its functions are called from each other at every address.
void write_unwind_seeds(SeedWriter& write, std::string_view name, const std::string& elf);

}  // namespace evname::fuzz
