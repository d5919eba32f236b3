#pragma once
// Asks for functions and frames of ELF files that a test writes.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "evname/symbols.hpp"
#include "recordings/elf/elf_file.hpp"
#include "support/temp_dir.hpp"

namespace evname::test {

constexpr std::uint64_t kStart = 0x7f0000000000;  ///< where files are mapped

inline std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

class ElfFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!Symbols::reads_elf()) GTEST_SKIP() << "this build has no elfutils";
  }

  /// The segment of elf_file() is mapped.
  Mapping mapping(std::string_view file) const {
    return {
        .file = file, .start = kStart, .end = kStart + ElfParts::kSize, .offset = ElfParts::kText};
  }
  /// Only what is here is looked at.
  SymbolOptions options() const {
    SymbolOptions options;
    options.cache = dir_.path("cache");
    return options;
  }
  /// The function at an address of the mapping, by symbols that are read anew.
  Frame function(const Mapping& mapping, std::uint64_t offset) {
    return function(mapping, offset, options());
  }
  Frame function(const Mapping& mapping, std::uint64_t offset, const SymbolOptions& options) {
    symbols_.push_back(std::make_unique<Symbols>(options));
    return symbols_.back()->function(kStart + offset, mapping);
  }
  /// The function at an offset of a file that is mapped as a whole.
  Frame function_at(const std::string& path, std::uint64_t offset) {
    return function({.file = path, .start = kStart}, offset);
  }

  TempDir dir_;
  std::vector<std::unique_ptr<Symbols>> symbols_;
};

}  // namespace evname::test
