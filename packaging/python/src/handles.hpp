#pragma once
// Handles of the C interface that free themselves, and its errors as Python exceptions.

#include <evname/evname.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <string_view>

namespace evname_python {

namespace py = pybind11;

/// A machine. Copies share it, and what is made of one keeps it alive.
struct Machine {
  std::shared_ptr<const evname_machine> handle;
  const evname_machine* get() const { return handle.get(); }
};

/// Raises the exception of evname._errors that fits the status.
[[noreturn]] void raise_error(const evname_error& error);
/// Raises it unless the status is EVNAME_OK.
inline void check(int status, const evname_error& error) {
  if (status != EVNAME_OK) raise_error(error);
}

/// Raises the exception of a status without a description, unless it is EVNAME_OK.
void check(int status);

/// Calls a function of the C interface without the interpreter's lock, and raises its error.
template <class Call>
void call(Call&& fn) {
  evname_error error;
  int status;
  {
    py::gil_scoped_release released;
    status = fn(&error);
  }
  check(status, error);
}

/// Returns a text for C. Raises InvalidArgumentError if a NUL would end it early.
const char* c_text(const std::string& text);

/// Any bytes as UTF-8: what is not well formed becomes U+FFFD, a byte each, as in evname's JSON.
std::string valid_text(std::string_view bytes);
/// The same as a Python string.
py::str to_str(const char* text);

/// Reads a list of warnings: `get(index)` is "" after the last.
template <class Get>
py::list warnings_of(Get get) {
  py::list found;
  for (std::size_t i = 0;; ++i) {
    const char* text = get(i);
    if (text == nullptr || *text == '\0') return found;
    found.append(to_str(text));
  }
}

/// Returns a class of evname._records.
py::object record(const char* name);
/// Returns the number, or None if it isn't one.
template <class T>
py::object or_none(bool is, T value) {
  return is ? py::object(py::cast(value)) : py::object(py::none());
}
/// Returns "<NAME ABOUT>", for __repr__.
py::str shown(const std::string& name, const std::string& about);

/// Issues evname.RecordingWarning for each of them.
void warn(const py::list& texts);

// What each file adds to the module.
void add_machines(py::module_& module);
void add_metrics(py::module_& module);
void add_topdown(py::module_& module);
void add_recordings(py::module_& module);
void add_decoded(py::module_& module);
void add_columns(py::module_& module);
void add_symbols(py::module_& module);
void add_counters(py::module_& module);
void add_samplers(py::module_& module);
void add_reports(py::module_& module);
void add_instructions(py::module_& module);

}  // namespace evname_python
