#pragma once
// Texts one after the other, each of them once.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <tsl/robin_set.h>

namespace evname {
inline namespace base {

/// Adds texts to a string that begins with a zero byte, the empty text at offset 0. A zero byte
/// ends each text.
class UniqueTexts {
 public:
  /// `bytes` must outlive the pool and not be changed by others.
  explicit UniqueTexts(std::string& bytes)
      : bytes_(bytes), offsets_(0, Hash{&bytes}, Equal{&bytes}) {}

  /// Returns the offset of a text, which is added if it is new.
  std::uint32_t add(std::string_view text) {
    text = text.substr(0, text.find('\0'));
    if (text.empty()) return 0;
    const std::size_t hash = Hash{&bytes_}(text);
    if (const auto at = offsets_.find(text, hash); at != offsets_.end()) return *at;
    const auto offset = static_cast<std::uint32_t>(bytes_.size());
    bytes_.append(text).push_back('\0');
    offsets_.insert(offset);
    return offset;
  }

 private:
  struct Hash {
    const std::string* bytes;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
    std::size_t operator()(std::uint32_t offset) const { return (*this)(bytes->data() + offset); }
  };
  struct Equal {
    using is_transparent = void;
    const std::string* bytes;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
    bool operator()(std::uint32_t offset, std::string_view text) const {
      return bytes->data() + offset == text;
    }
    bool operator()(std::string_view text, std::uint32_t offset) const {
      return bytes->data() + offset == text;
    }
  };

  std::string& bytes_;
  tsl::robin_set<std::uint32_t, Hash, Equal, std::allocator<std::uint32_t>, true> offsets_;
};

}  // namespace base
}  // namespace evname
