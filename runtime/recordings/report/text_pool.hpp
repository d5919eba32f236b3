#pragma once
// Texts, each once, by number.

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace evname::report {

class TextPool {
 public:
  TextPool() = default;
  TextPool(const TextPool& other) {
    for (const std::string& text : other.texts_) id(text);
  }
  TextPool(TextPool&&) noexcept = default;
  TextPool& operator=(TextPool other) {
    texts_.swap(other.texts_);
    ids_.swap(other.ids_);
    return *this;
  }

  std::uint32_t id(std::string_view text) {
    if (const auto known = ids_.find(text); known != ids_.end()) return known->second;
    const auto added = static_cast<std::uint32_t>(texts_.size());
    ids_.emplace(texts_.emplace_back(text), added);
    return added;
  }
  const std::string& operator[](std::uint32_t id) const { return texts_[id]; }

 private:
  std::deque<std::string> texts_;  ///< they do not move
  std::unordered_map<std::string_view, std::uint32_t> ids_;
};

}  // namespace evname::report
