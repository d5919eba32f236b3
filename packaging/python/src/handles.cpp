#include "handles.hpp"

#include <cstdint>
#include <cstdio>

namespace evname_python {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

bool continues(std::string_view text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
}

// The length of the well-formed character at the beginning (RFC 3629), 0 if there is none.
std::size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t length = first < 0xC2   ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!continues(text, i)) return 0;
  if (length < 3) return length;
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool surrogate = first == 0xED && second > 0x9F;
  const bool too_great = first == 0xF4 && second > 0x8F;
  return overlong || surrogate || too_great ? 0 : length;
}

}  // namespace

std::string valid_text(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t length = character_length(bytes);
    text += length == 0 ? replacement : bytes.substr(0, length);
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return text;
}

py::str to_str(const char* text) { return py::str(valid_text(text)); }

py::object record(const char* name) { return py::module_::import("evname._records").attr(name); }

py::str shown(const std::string& name, const std::string& about) {
  return py::str(valid_text("<" + name + (about.empty() ? "" : " ") + about + ">"));
}

const char* c_text(const std::string& text) {
  const std::size_t nul = text.find('\0');
  if (nul == text.npos) return text.c_str();
  raise_error({EVNAME_INVALID_ARGUMENT, 0, nul, "the text has a NUL in it", "", ""});
}

void check(int status) {
  if (status == EVNAME_OK) return;
  evname_error error{};
  error.status = status;
  error.offset = EVNAME_NO_OFFSET;
  std::snprintf(error.message, sizeof error.message, "%s", evname_status_text(status));
  raise_error(error);
}

void raise_error(const evname_error& error) {
  const py::object offset =
      error.offset == EVNAME_NO_OFFSET ? py::object(py::none()) : py::int_(error.offset);
  const py::object exception =
      py::module_::import("evname._errors")
          .attr("from_status")(error.status, to_str(error.message), to_str(error.where),
                               to_str(error.hint), offset);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw py::error_already_set();
}

void warn(const py::list& texts) {
  const py::object category = py::module_::import("evname._errors").attr("RecordingWarning");
  for (const auto& text : texts)
    if (PyErr_WarnEx(category.ptr(), py::str(text).cast<std::string>().c_str(), 2) != 0)
      throw py::error_already_set();
}

}  // namespace evname_python
