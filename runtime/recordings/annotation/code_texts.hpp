#pragma once
// Reads the instructions at samples' addresses.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "evname/recording.hpp"
#include "recordings/instructions/decoder.hpp"
#include "recordings/locations/by_location.hpp"
#include "recordings/locations/location_cache.hpp"

namespace evname::annotation {

/// Code of a file, and how it is decoded.
struct CodeBytes {
  elf::CodeKind kind = {};
  std::span<const std::uint8_t> bytes = {};  ///< empty: the code is not known
};

/// Reads code and decodes it, for one thread at a time. A copy begins with nothing.
class CodeTexts {
 public:
  CodeTexts() = default;
  CodeTexts(const CodeTexts&) {}
  CodeTexts& operator=(const CodeTexts&) = delete;

  static constexpr std::size_t kLongest = 15;  ///< bytes of an instruction

  /// Returns up to `size` bytes of the code at an address, valid until the next call.
  CodeBytes read(const Sample& sample, Address address, std::size_t size,
                 locations::LocationCache& locations);
  /// Returns the length of the instruction at the beginning of some code; 0 if it is none.
  std::size_t length(const CodeBytes& code, std::uint64_t address);
  /// Decodes that instruction; nullopt if it is none, or if this build can't.
  std::optional<instructions::Decoded> decode(const CodeBytes& code, std::uint64_t address);

 private:
  locations::ItemsByLocation<std::uint8_t> pieces_;
  std::vector<std::pair<elf::CodeKind, std::unique_ptr<instructions::Decoder>>> decoders_;
};

}  // namespace evname::annotation
