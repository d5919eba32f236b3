// Sources of data and branches, as evname/decoded.h takes them apart.

#include "decoded.hpp"

#include <evname/evname.h>

namespace evname_python {

py::object data_source_object(std::uint64_t word) {
  evname_data_source from;
  check(evname_data_source_of(word, &from));
  return record("DataSource")(from.op, from.level, from.level_number, from.snoop, from.snoop_more,
                              from.lock, from.tlb, from.blocked, from.hops, from.remote != 0,
                              from.region, from.op_text, from.level_text, from.snoop_text,
                              from.tlb_text, from.lock_text, from.blocked_text, from.text);
}

py::object branch_object(const std::array<std::uint64_t, 3>& words, const std::string& arch) {
  evname_branch from;
  check(evname_branch_of(words.data(), c_text(arch), &from));
  return record("Branch")(from.from, from.to, from.mispredicted != 0, from.predicted != 0,
                          from.in_transaction != 0, from.abort != 0, from.not_taken != 0,
                          from.cycles, from.type, from.extended_type, from.speculation,
                          from.privilege, from.type_text, from.speculation_text,
                          from.privilege_text, from.prediction_text, from.text);
}

void add_decoded(py::module_& module) {
  module.def("data_source", &data_source_object, py::arg("word"),
             "Takes Sample.data_src apart: a DataSource.");
  module.def("branch", &branch_object, py::arg("words"), py::arg("arch") = "",
             "Takes three words of Sample.branches apart: a Branch. Some types have names on one "
             "architecture only: `arch` is Cpu.arch of the machine, or \"aarch64\".");
}

}  // namespace evname_python
