#pragma once
// Stores a number for each sample in little memory.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace evname::profiles {

/// A column of numbers that are appended, and read one after the other. Each is stored as the
/// difference from the previous one, mostly in one to three bytes.
class PackedColumn {
 public:
  void push_back(std::uint64_t number) {
    if (last_.size() + kLongest > kBlock) {  // full ones are not copied any more
      full_.push_back(std::exchange(last_, {}));
      last_.reserve(kBlock);
    }
    const std::uint64_t change = number - std::exchange(previous_, number);
    std::uint64_t left = change << 1 ^ (0 - (change >> 63));  // small for both signs
    for (; left >= 0x80; left >>= 7) last_ += static_cast<char>(left | 0x80);
    last_ += static_cast<char>(left);
  }

  /// Reads a column from its first number on. The column must outlive it, and not grow.
  class Reader {
   public:
    explicit Reader(const PackedColumn& column) : column_(column) { open(0); }
    /// Returns the next number; there must be one.
    std::uint64_t next() {
      if (at_ == end_) open(block_ + 1);
      std::uint64_t left = 0;
      for (unsigned shift = 0;; shift += 7) {
        const auto byte = static_cast<unsigned char>(*at_++);
        left |= std::uint64_t{byte & 0x7fU} << shift;
        if (byte < 0x80) break;
      }
      return number_ += left >> 1 ^ (0 - (left & 1));
    }

   private:
    void open(std::size_t block) {
      block_ = block;
      const std::string& bytes =
          block < column_.full_.size() ? column_.full_[block] : column_.last_;
      at_ = bytes.data();
      end_ = at_ + bytes.size();
    }

    const PackedColumn& column_;
    std::size_t block_ = 0;
    const char *at_ = nullptr, *end_ = nullptr;
    std::uint64_t number_ = 0;
  };

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 16, kLongest = 10;

  std::vector<std::string> full_;
  std::string last_;
  std::uint64_t previous_ = 0;
};

}  // namespace evname::profiles
