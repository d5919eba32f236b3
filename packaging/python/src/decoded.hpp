#pragma once
// The parts of two words of samples, as objects of Python.

#include <pybind11/stl.h>

#include <array>
#include <cstdint>
#include <string>

#include "handles.hpp"

namespace evname_python {

/// Returns a DataSource of data_src.
py::object data_source_object(std::uint64_t word);
/// Returns a Branch of three words.
py::object branch_object(const std::array<std::uint64_t, 3>& words, const std::string& arch);

}  // namespace evname_python
