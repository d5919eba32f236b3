#include "annotation/value.hpp"

namespace evname {

// RFC 4180: quotes where a separator, a quote or a line break is inside.
void ValueWriter::text(std::string_view text) {
  if (json()) return out_.json(text);
  if (text.find_first_of(",\"\r\n") == text.npos) return out_.text(text);
  out_.put('"');
  for (const char letter : text) {
    if (letter == '"') out_.put('"');
    out_.put(letter);
  }
  out_.put('"');
}

}  // namespace evname
