#include "events/syntax/older_texts.hpp"

#include "events/syntax/modifiers.hpp"

namespace evname::syntax {

std::optional<std::string> with_modifiers_outside(std::string_view events) {
  std::string out(events);
  bool is_changed = false;
  for (std::size_t open = out.find('/'); open != out.npos;) {
    const std::size_t close = out.find('/', open + 1);
    if (close == out.npos) break;
    const std::string_view terms = std::string_view(out).substr(open + 1, close - open - 1);
    const std::size_t colon = terms.rfind(':');
    const bool ends = close + 1 == out.size() || out[close + 1] == ',' || out[close + 1] == '}';
    if (ends && colon != terms.npos && colon > 0 && are_modifiers(terms.substr(colon + 1), false)) {
      out.erase(open + 1 + colon, 1);
      const std::size_t letters = close - (open + 1 + colon) - 1;
      out.erase(close - 1, 1).insert(close - 1 - letters, 1, '/');
      is_changed = true;
    }
    open = out.find('/', close + 1);
  }
  return is_changed ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace evname::syntax
