// Converts errors for C.

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/enum_table.hpp"
#include "c/handles.hpp"

namespace evname::c {
namespace {

constexpr auto kStatus = enum_values<Errc, evname_status>({
    {Errc::invalid_argument, EVNAME_INVALID_ARGUMENT},
    {Errc::not_found, EVNAME_NOT_FOUND},
    {Errc::out_of_range, EVNAME_OUT_OF_RANGE},
    {Errc::corrupt, EVNAME_CORRUPT},
    {Errc::io, EVNAME_IO},
    {Errc::unsupported, EVNAME_UNSUPPORTED},
    {Errc::cancelled, EVNAME_CANCELLED},
});

constexpr auto kTexts = enum_values<evname_status>({
    {EVNAME_OK, "ok"},
    {EVNAME_INVALID_ARGUMENT, "invalid argument"},
    {EVNAME_NOT_FOUND, "not found"},
    {EVNAME_OUT_OF_RANGE, "out of range"},
    {EVNAME_CORRUPT, "corrupt"},
    {EVNAME_IO, "refused"},
    {EVNAME_UNSUPPORTED, "unsupported"},
    {EVNAME_NO_MEMORY, "not enough memory"},
    {EVNAME_INTERNAL, "internal error"},
    {EVNAME_CANCELLED, "cancelled"},
});

}  // namespace

std::size_t copy_text(std::string_view text, char* buffer, std::size_t size) {
  if (size == 0) return text.size();
  std::size_t length = std::min(text.size(), size - 1);
  const auto continues = [&](std::size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80;
  };
  while (length > 0 && length < text.size() && continues(length)) --length;
  std::memcpy(buffer, text.data(), length);
  buffer[length] = '\0';
  return text.size();
}

int tell(const Error& error, evname_error* out) {
  const evname_status status = kStatus[error.code].value;
  if (out == nullptr) return status;
  *out = {};
  out->status = status;
  out->offset = error.offset.value_or(EVNAME_NO_OFFSET);
  copy_text(error.message, out->message, sizeof out->message);
  copy_text(error.where, out->where, sizeof out->where);
  copy_text(error.hint, out->hint, sizeof out->hint);
  return status;
}

int tell(evname_status status, const char* message, evname_error* out) {
  if (out == nullptr) return status;
  *out = {};
  out->status = status;
  out->offset = EVNAME_NO_OFFSET;
  copy_text(message, out->message, sizeof out->message);
  return status;
}

}  // namespace evname::c

using namespace evname::c;

const char* evname_version(void) { return EVNAME_VERSION; }

const char* evname_status_text(int status) {
  const bool is_known = status >= 0 && static_cast<std::size_t>(status) < kTexts.size();
  return is_known ? kTexts[static_cast<evname_status>(status)].value : "unknown status";
}

size_t evname_error_text(const evname_error* error, char* buffer, size_t size) {
  if (error == nullptr || lacks({array(buffer, size)})) return 0;
  const bool has_where = error->where[0] != '\0', has_hint = error->hint[0] != '\0';
  const char* const parts[] = {error->where,         has_where ? ": " : "", error->message,
                               has_hint ? " (" : "", error->hint,           has_hint ? ")" : ""};
  std::size_t length = 0;
  for (const char* part : parts) {
    const std::size_t used = std::min(length, size);
    length += copy_text(part, buffer + used, size - used);
  }
  return length;
}
