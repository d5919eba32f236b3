// A whole perf.data, of any form that has a file.

#include "evname/annotate.hpp"
#include "evname/metric.hpp"
#include "evname/symbols.hpp"
#include "fuzz/input.hpp"
#include "fuzz/target.hpp"
#include "recordings/annotation/fields.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "recordings/perf_data/recording_state.hpp"

namespace evname::fuzz::file_target {

FUZZ_TARGET(file, data, size) {
  const evname::fuzz::MemoryFile input(evname::fuzz::text_of(data, size));
  const auto file = evname::Recording::open(input.path());
  if (!file) return 0;
  for (const bool all_records : {false, true}) file->refused_by_perf(all_records);
  const auto sink = [](std::string_view) { return true; };
  std::vector<evname::Field> all;
  for (const evname::FieldInfo& field : evname::all_fields()) all.push_back(field.field);
  const evname::Symbols none({.symfs = "/nonexistent", .cache = "/nonexistent"});
  const auto& attrs = evname::detail::state_of(*file).file.events.list();
  for (const auto format : {evname::Format::text, evname::Format::jsonl, evname::Format::csv}) {
    evname::AnnotateOptions options{.format = format};
    for (const evname::Field field : all)
      for (const auto& event : attrs)
        if (const auto& row = evname::annotation::row_of(field);
            evname::annotation::has_field(event, row) &&
            (format == evname::Format::text ? row.text != nullptr : row.value != nullptr)) {
          options.fields.push_back(field);
          break;
        }
    options.symbols = &none;
    options.pass.salvage = true;
    options.pass.jobs = 1;
    (void)evname::annotate(*file, options, sink);
  }
  evname::annotation::ScriptOptions dumped{{.pass = {.jobs = 1}, .symbols = &none}};
  dumped.dump.emplace([](std::size_t) { return std::string(); },
                      [](std::uint64_t) { return std::string(); });
  (void)evname::annotation::annotate(*file, dumped, sink);
  (void)evname::annotate(
      *file, {.format = evname::Format::folded, .pass = {.jobs = 1}, .symbols = &none}, sink);
  for (const auto per : {evname::CountsPer::recorded, evname::CountsPer::total,
                         evname::CountsPer::cpu, evname::CountsPer::core, evname::CountsPer::die,
                         evname::CountsPer::socket, evname::CountsPer::thread})
    (void)evname::read_counts(*file, per);
  perf_data::survey(*file);
  return 0;
}

}  // namespace evname::fuzz::file_target
