#pragma once
// Writes seeds as DIRECTORY/TARGET/seed-NUMBER.

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace evname::fuzz {

class SeedWriter {
 public:
  explicit SeedWriter(std::filesystem::path root) : root_(std::move(root)) {}

  void operator()(const std::string& target, std::string_view bytes) {
    std::filesystem::create_directories(root_ / target);
    const std::string name = "seed-" + std::to_string(count_++);
    std::ofstream(root_ / target / name, std::ios::binary) << bytes;
  }

 private:
  std::filesystem::path root_;
  std::size_t count_ = 0;
};

/// Those of the targets that read text.
void write_text_seeds(SeedWriter& write);

}  // namespace evname::fuzz
