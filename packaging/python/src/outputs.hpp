#pragma once

#include "pass.hpp"

namespace evname_python {

void add_outputs(py::class_<Recording>& recording);

}  // namespace evname_python
