#include <charconv>
#include <cmath>
#include <string_view>

#include "expression/simplify.hpp"

namespace evname::metric {

// The digits of the shortest text that reads back as the same number, with an exponent that is a
// multiple of 3 where one is needed (IEEE 854's engineering notation).
std::string constant_text(double value) {
  if (!std::isfinite(value)) return "NaN";
  char buffer[32];
  const auto end = std::to_chars(buffer, std::end(buffer), value, std::chars_format::scientific);
  const std::string_view text(buffer, static_cast<std::size_t>(end.ptr - buffer));
  const std::size_t e = text.find('e');
  std::string digits(text.substr(0, e));
  std::erase(digits, '.');
  const std::string sign = digits.starts_with('-') ? "-" : "";
  digits.erase(0, sign.size());
  if (digits == "0") return "0";

  int exponent = 0;
  std::from_chars(text.data() + e + 1 + (text[e + 1] == '+'), end.ptr, exponent);
  const int size = static_cast<int>(digits.size());
  const int before_point = exponent + 1;
  const bool plain = before_point <= size && before_point > -6;
  const int point = plain ? before_point : ((exponent % 3) + 3) % 3 + 1;
  if (point <= 0)
    digits.insert(0, "0." + std::string(static_cast<std::size_t>(-point), '0'));
  else if (point >= size)
    digits.append(static_cast<std::size_t>(point - size), '0');
  else
    digits.insert(static_cast<std::size_t>(point), ".");
  if (before_point != point) digits += "e" + std::to_string(before_point - point);
  return sign + digits;
}

}  // namespace evname::metric
