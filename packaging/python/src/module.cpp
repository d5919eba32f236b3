// evname for Python, by way of the C interface: whatever libevname.so.0 is found serves.

#include "handles.hpp"

PYBIND11_MODULE(_evname, module) {
  module.doc() =
      "PMU event names to raw codes and back, and the samples of perf.data. Import evname instead.";
  module.attr("__version__") = evname_version();
  evname_python::add_machines(module);
  evname_python::add_metrics(module);
  evname_python::add_topdown(module);
  evname_python::add_symbols(module);
  evname_python::add_recordings(module);
  evname_python::add_decoded(module);
  evname_python::add_columns(module);
  evname_python::add_reports(module);
  evname_python::add_instructions(module);
  evname_python::add_counters(module);
  evname_python::add_samplers(module);
}
