// InstructionReport: the samples of each instruction of functions.

#include <pybind11/stl.h>

#include <algorithm>
#include <vector>

#include "filter.hpp"
#include "pass.hpp"

namespace evname_python {
namespace {

using Handle = std::shared_ptr<evname_instruction_report>;
using Instructions = std::unique_ptr<evname_instructions, decltype(&evname_instructions_free)>;
using Frames = std::unique_ptr<evname_frames, decltype(&evname_frames_free)>;

struct InstructionReport {
  std::shared_ptr<Filter> filter;  ///< that the handle refers to
  Handle handle;
};

InstructionReport new_report(const std::optional<Symbols>& symbols, const py::kwargs& given) {
  auto filter = std::make_shared<Filter>(given);
  const evname_filter chosen = filter->get();
  evname_instruction_report* report = nullptr;
  evname_error error;
  check(evname_instruction_report_new(symbols ? symbols->handle.get() : nullptr, &chosen, &report,
                                      &error),
        error);
  return {std::move(filter), {report, evname_instruction_report_free}};
}

py::object add(InstructionReport& self, const Recording& recording) {
  evname_tally tally;
  self.filter->call([&](evname_error* error) {
    return evname_instruction_report_add(self.handle.get(), recording.get(), &tally, error);
  });
  return tally_object(tally);
}

/// Returns a dict of the counts of a list by the report's events.
template <class Count>
py::dict by_event(const InstructionReport& self, Count&& count) {
  py::dict found;
  for (std::size_t i = 0;; ++i) {
    const char* const name = evname_instruction_report_event(self.handle.get(), i);
    if (*name == '\0') return found;
    found[to_str(name)] = count(i);
  }
}

py::tuple frames_of(const evname_instructions* code, std::size_t index, evname_frames* frames) {
  evname_error error;
  check(evname_instructions_frames(code, index, frames, &error), error);
  return frame_objects(own_frames(frames));
}

py::list instructions_of(const InstructionReport& self, const evname_instructions* code) {
  evname_error error;
  evname_frames* made = nullptr;
  check(evname_frames_new(&made, &error), error);
  const Frames frames(made, evname_frames_free);
  const py::object make = record("Instruction");
  py::list found;
  evname_instruction one;
  for (std::size_t i = 0; evname_instructions_at(code, i, &one) == EVNAME_OK; ++i)
    found.append(make(one.address,
                      py::bytes(reinterpret_cast<const char*>(one.bytes), one.bytes_size),
                      to_str(one.text), (one.flags & EVNAME_INSTRUCTION_JUMP) != 0,
                      (one.flags & EVNAME_INSTRUCTION_CALL) != 0,
                      or_none((one.flags & EVNAME_INSTRUCTION_TARGET) != 0, one.target),
                      to_str(one.symbol), frames_of(code, i, frames.get()),
                      by_event(self, [&](std::size_t e) { return one.samples[e]; })));
  return found;
}

py::object function_object(const InstructionReport& self, std::size_t index,
                           const evname_function& of, std::uint32_t flags) {
  evname_instructions* made = nullptr;
  call([&](evname_error* error) {
    return evname_instructions_new(self.handle.get(), index, flags, &made, error);
  });
  const Instructions code(made, evname_instructions_free);
  return record("InstructionFunction")(
      to_str(of.name), to_str(of.dso), to_str(of.build_id),
      by_event(self, [&](std::size_t e) { return of.samples[e]; }),
      instructions_of(self, code.get()),
      by_event(self, [&](std::size_t e) { return evname_instructions_outside(code.get(), e); }),
      to_str(evname_instructions_problem(code.get())));
}

py::list functions_of(const InstructionReport& self, std::size_t top, const std::string& syntax) {
  if (syntax != "intel" && syntax != "att")
    throw py::value_error("no syntax '" + syntax + "' (there are att, intel)");
  py::list found;
  evname_function of;
  for (std::size_t i = 0; i < top; ++i) {
    if (evname_instruction_report_function_at(self.handle.get(), i, &of) != EVNAME_OK) break;
    found.append(function_object(self, i, of, syntax == "att" ? EVNAME_INSTRUCTIONS_ATT : 0));
  }
  return found;
}

py::str text_of(const InstructionReport& self) {
  return shown(
      "InstructionReport",
      std::to_string(evname_instruction_report_function_count(self.handle.get())) + " functions");
}

}  // namespace

void add_instructions(py::module_& module) {
  py::class_<InstructionReport>(
      module, "InstructionReport",
      "Counts the samples of each instruction of functions. By one thread at a time.")
      .def(py::init(&new_report), py::kw_only(), py::arg("symbols") = py::none(),
           "An empty report. `symbols` find functions and their code; None: as Symbols() does. The "
           "other arguments select samples, as in Report.")
      .def("add", &add, py::arg("recording"),
           "Adds the samples of a recording; functions of the same file are merged. Returns the "
           "Tally.")
      .def("functions", &functions_of, py::arg("top") = 10, py::kw_only(),
           py::arg("syntax") = "intel",
           "Returns up to `top` functions, those with most samples first, as InstructionFunction. "
           "`syntax` is \"intel\" or \"att\", for x86.")
      .def("__repr__", &text_of);
}

}  // namespace evname_python
