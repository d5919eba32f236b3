#pragma once
// Texts by number, each once, as well-formed UTF-8, which all formats require.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/json_text.hpp"

namespace evname::profiles {

class Strings {
 public:
  using Id = std::uint32_t;

  Strings() = default;
  /// `first` is number 0.
  explicit Strings(std::string_view first) { id(first); }

  Id id(std::string_view text) {
    if (const auto at = ids_.find(text); at != ids_.end()) return at->second;
    std::string clean;
    append_utf8(clean, text);
    if (clean != text) return id(clean);
    const std::string& kept = texts_.emplace_back(std::move(clean));
    return ids_.emplace(kept, static_cast<Id>(texts_.size() - 1)).first->second;
  }
  const std::string& operator[](Id id) const { return texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  ///< they do not move
  std::unordered_map<std::string_view, Id> ids_;
};

}  // namespace evname::profiles
