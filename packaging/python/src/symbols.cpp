// Symbols: functions at the addresses of samples.

#include <pybind11/stl.h>

#include "pass.hpp"

namespace evname_python {
namespace {

using OptionalText = std::optional<std::string>;

Symbols new_symbols(const OptionalText& symfs, const OptionalText& vmlinux,
                    const OptionalText& kallsyms, const OptionalText& kernel_release,
                    const OptionalText& cache, bool lines, bool inlines, bool demangle,
                    bool debuginfod) {
  const auto text = [](const OptionalText& given) { return given ? c_text(*given) : nullptr; };
  evname_symbol_options options{};
  options.symfs = text(symfs);
  options.vmlinux = text(vmlinux);
  options.kallsyms = text(kallsyms);
  options.kernel_release = text(kernel_release);
  options.cache = text(cache);
  options.flags =
      (lines ? 0 : EVNAME_SYMBOLS_NO_LINES) | (inlines ? 0 : EVNAME_SYMBOLS_NO_INLINES) |
      (demangle ? 0 : EVNAME_SYMBOLS_MANGLED) | (debuginfod ? EVNAME_SYMBOLS_DEBUGINFOD : 0);
  evname_symbols* symbols = nullptr;
  evname_error error;
  check(evname_symbols_new(&options, &symbols, &error), error);
  return {SharedSymbols(symbols, evname_symbols_free)};
}

py::list problems_of(const Symbols& self) {
  py::list found;
  for (std::size_t i = 0;; ++i) {
    std::string text;
    std::size_t needed = 0;
    evname_error error;
    do {
      text.resize(needed);
      check(evname_symbols_problem(self.handle.get(), i, text.data(), text.size() + 1, &needed,
                                   &error),
            error);
    } while (needed > text.size());
    if (needed == 0) return found;
    found.append(to_str(text.c_str()));
  }
}

std::string hexadecimal(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

}  // namespace

std::vector<OwnFrame> own_frames(const evname_frames* frames) {
  std::vector<OwnFrame> found;
  evname_frame f;
  for (std::size_t i = 0; evname_frames_at(frames, i, &f) == EVNAME_OK; ++i)
    found.push_back(
        {f.function, f.source, f.dso, f.label, f.offset, f.address, f.ip, f.line, f.flags});
  return found;
}

py::object mapping_object(const OwnMapping& mapping) {
  return record("Mapping")(to_str(mapping.file.c_str()), hexadecimal(mapping.build_id),
                           mapping.start, mapping.end, mapping.offset, mapping.pid, mapping.kernel);
}

py::tuple frame_objects(const std::vector<OwnFrame>& frames) {
  const py::object make = record("Frame");
  py::tuple found(frames.size());
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const OwnFrame& f = frames[i];
    found[i] =
        make(to_str(f.function.c_str()), f.offset, to_str(f.dso.c_str()), to_str(f.source.c_str()),
             or_none(f.line != 0, f.line), f.ip, f.address, (f.flags & EVNAME_FRAME_INLINED) != 0,
             (f.flags & EVNAME_FRAME_KERNEL) != 0, to_str(f.label.c_str()));
  }
  return found;
}

void add_symbols(py::module_& module) {
  py::class_<Symbols>(module, "Symbols",
                      "Finds functions, source lines and inlined calls, for "
                      "Recording.samples(symbols=…). Reads each file once.")
      .def(
          py::init(&new_symbols), py::kw_only(), py::arg("symfs") = py::none(),
          py::arg("vmlinux") = py::none(), py::arg("kallsyms") = py::none(),
          py::arg("kernel_release") = py::none(), py::arg("cache") = py::none(),
          py::arg("lines") = true, py::arg("inlines") = true, py::arg("demangle") = true,
          py::arg("debuginfod") = false,
          "`symfs` goes before the path of each file; `vmlinux` and `kallsyms` are read for the "
          "kernel, whose release is `kernel_release`; `cache` is perf's cache of files, by default "
          "~/.debug. `debuginfod`: ask the servers of $DEBUGINFOD_URLS.")
      .def_property_readonly("problems", &problems_of,
                             "Files that could not be used, and the reason.")
      .def("__repr__", [](const Symbols&) { return shown("Symbols", ""); });
}

}  // namespace evname_python
