// Makes text, profiles and smaller recordings of a recording's samples.

#include <pybind11/stl.h>

#include <map>
#include <optional>

#include "filter.hpp"
#include "outputs.hpp"

namespace evname_python {
namespace {

using Numbers = std::map<std::string, std::uint32_t>;

const Numbers kFormats = {{"text", EVNAME_FORMAT_TEXT},
                          {"csv", EVNAME_FORMAT_CSV},
                          {"jsonl", EVNAME_FORMAT_JSONL},
                          {"folded", EVNAME_FORMAT_FOLDED}};
const Numbers kProfiles = {
#define EVNAME_PROFILE_FORMAT(name, NAME, word, needs, is_text, what) {word, EVNAME_PROFILE_##NAME},
#include <evname/profile_formats.def>
};

std::uint32_t number_of(const Numbers& numbers, const std::string& word) {
  const auto found = numbers.find(word);
  if (found != numbers.end()) return found->second;
  std::string known;
  for (const auto& [name, number] : numbers) known += (known.empty() ? "" : ", ") + name;
  throw py::value_error("no format '" + word + "' (there are " + known + ")");
}

py::object annotate(const Recording& self, int file, const std::optional<std::string>& fields,
                    const std::string& format, std::uint64_t limit, bool recorded_names,
                    bool count_periods, const py::kwargs& given) {
  Filter filter(given);
  const evname_filter chosen = filter.get();
  evname_annotate_options options{};
  options.fields = fields ? c_text(*fields) : nullptr;
  options.limit = limit;
  options.format = number_of(kFormats, format);
  options.flags = (recorded_names ? EVNAME_ANNOTATE_RECORDED_NAMES : 0) |
                  (count_periods ? EVNAME_ANNOTATE_COUNT_PERIODS : 0);
  evname_tally tally;
  filter.call([&](evname_error* error) {
    return evname_annotate(self.get(), &options, &chosen, file, &tally, error);
  });
  return tally_object(tally);
}

std::uint64_t write_profile(const Recording& self, const std::string& path,
                            const std::string& format, const std::optional<Symbols>& symbols,
                            bool gzip, const py::kwargs& given) {
  Filter filter(given);
  const evname_filter chosen = filter.get();
  evname_profile_options options{};
  options.symbols = symbols ? symbols->handle.get() : nullptr;
  options.format = number_of(kProfiles, format);
  options.flags = gzip ? EVNAME_PROFILE_GZIP : 0;
  const evname_recording* recording = self.get();
  const char* const to = c_text(path);
  std::uint64_t samples = 0;
  filter.call([&](evname_error* error) {
    return evname_profile_write(&recording, 1, &options, &chosen, to, &samples, nullptr, error);
  });
  return samples;
}

std::uint64_t extract(const Recording& self, const std::string& path, const py::kwargs& given) {
  Filter filter(given);
  const evname_filter chosen = filter.get();
  const char* const to = c_text(path);
  std::uint64_t samples = 0;
  filter.call([&](evname_error* error) {
    return evname_extract(self.get(), &chosen, to, &samples, nullptr, error);
  });
  return samples;
}

std::uint64_t pack(const Recording& self, const std::string& path,
                   const std::optional<Symbols>& symbols, const py::object& progress) {
  py::kwargs given;
  if (!progress.is_none()) given["progress"] = progress;
  Filter filter(given);
  const evname_filter chosen = filter.get();
  const char* const to = c_text(path);
  std::uint64_t places = 0;
  filter.call([&](evname_error* error) {
    return evname_pack(self.get(), symbols ? symbols->handle.get() : nullptr, to, chosen.progress,
                       chosen.progress_context, &places, error);
  });
  return places;
}

}  // namespace

void add_outputs(py::class_<Recording>& recording) {
  recording.def("_annotate", &annotate)
      .def("write_profile", &write_profile, py::arg("path"), py::arg("format") = "pprof",
           py::kw_only(), py::arg("symbols") = py::none(), py::arg("gzip") = false,
           "Writes a profile for pprof, Firefox Profiler (\"firefox\"), speedscope, Perfetto or "
           "OpenTelemetry (\"otlp\"). Without `symbols`, functions stay addresses. Other arguments "
           "select samples as in Report, and `progress` is as there. Returns the number of samples "
           "written; if there are "
           "none, there is no file.")
      .def("extract", &extract, py::arg("path"),
           "Writes a recording with the samples that the arguments select, as in Report. "
           "Returns their number; if there are none, there is no file.")
      .def("pack", &pack, py::arg("path"), py::kw_only(), py::arg("symbols") = py::none(),
           py::arg("progress") = py::none(),
           "Writes the recording with the names of all functions, lines and inlined calls that its "
           "samples need. Returns the number of places that have a name. `progress` is as in "
           "Report.");
}

}  // namespace evname_python
