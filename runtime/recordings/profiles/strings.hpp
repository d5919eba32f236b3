#pragma once
// Texts by number, each once, as well-formed UTF-8, which all formats require.

#include <string>
#include <string_view>

#include "base/json_text.hpp"
#include "base/text_pool.hpp"

namespace evname::profiles {

class Strings : public TextPool {
 public:
  Strings() = default;
  /// `first` is number 0.
  explicit Strings(std::string_view first) { id(first); }

  Id id(std::string_view text) {
    if (contains(text)) return TextPool::id(text);
    std::string clean;
    append_utf8(clean, text);
    return TextPool::id(clean);
  }
};

}  // namespace evname::profiles
