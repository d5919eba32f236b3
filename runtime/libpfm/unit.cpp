#include "libpfm/unit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace evname::libpfm {
namespace {

constexpr char lower_letter(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

}  // namespace

bool same_name(std::string_view one, std::string_view other) {
  return one.size() == other.size() &&
         std::equal(one.begin(), one.end(), other.begin(),
                    [](char a, char b) { return lower_letter(a) == lower_letter(b); });
}

void Request::sort() {
  std::stable_sort(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(asked_count),
                   [](const Asked& a, const Asked& b) { return a.position < b.position; });
}

void Request::write(std::string_view name) {
  if (!wants_text) return;
  if (!text.empty()) text += ':';
  text += name;
}

void Request::write(std::string_view name, std::uint64_t value) {
  if (!wants_text) return;
  write(name);
  fmt::format_to(std::back_inserter(text), "={}", value);
}

int Unit::find_attribute(int event, std::string_view name, bool has_value, Os os) const {
  for (int i = 0, count = attribute_count(event, os); i < count; ++i) {
    const Attribute own = attribute(event, i, os);
    if (same_name(own.name, name) && !(has_value && own.type == kUnitMaskAttribute)) return i;
  }
  return -1;
}

}  // namespace evname::libpfm
