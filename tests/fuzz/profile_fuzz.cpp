// A whole perf.data as profiles, as a page's report, cut to some of its samples, and with names.

#include "evname/profile.hpp"
#include "evname/rewrite.hpp"
#include "fuzz/file_tree.hpp"
#include "fuzz/input.hpp"
#include "fuzz/target.hpp"
#include "recordings/annotation/script_options.hpp"
#include "recordings/perf_data/recorded_facts.hpp"
#include "recordings/report/detailed_report.hpp"

namespace evname::fuzz::profile_target {

FUZZ_TARGET(profile, data, size) {
  const fuzz::MemoryFile input(fuzz::text_of(data, size));
  const auto file = Recording::open(input.path());
  if (!file) return 0;
  const Symbols none({.symfs = "/nonexistent", .cache = "/nonexistent"});
  static const fuzz::FileTree kOutput({});
  const Recording twice[] = {*file, *file};
  for (const ProfileFormatInfo& info : profile_formats()) {
    ProfileOptions options{.format = info.format, .pass = {.jobs = 1}, .symbols = &none};
    // Any file with code will do, as whatever the recording has mapped.
    if (info.for_binary) options.binary = "/proc/self/exe";
    if (info.for_binary && !perf_data::features_of(*file).build_ids.empty())
      options.recorded_as = perf_data::features_of(*file).build_ids[0].file;
    options.ignore_build_id = info.for_binary;
    for (const bool plain : {false, true}) {
      options.plain = plain && info.for_binary;
      (void)export_profile(twice, options, [](std::string_view) { return true; });
    }
  }
  for (const annotation::OtherRecords& others :
       {annotation::OtherRecords{},
        annotation::OtherRecords{true, true, true, true, true, true, true}}) {
    annotation::ScriptOptions options{{.pass = {.jobs = 1}, .symbols = &none}, {}, others};
    if (auto fields = annotation::parse_script_fields({}, *file))
      options.event_fields = std::move(*fields);
    (void)annotation::annotate(*file, options, [](std::string_view) { return true; });
  }
  (void)export_profile(twice, {.pass = {.jobs = 1}}, kOutput.path("profile"));
  Report sums({.symbols = &none});
  (void)sums.add(*file);
  sums.rows();
  ReportOptions options{.keys = {SortKey::event, SortKey::comm, SortKey::cpu}};
  options.symbols = &none;
  options.pass.jobs = 1;
  options.memory = true;
  for (const SortKeyInfo& row : sort_keys()) options.keys.push_back(row.key);
  report::DetailedReport report(
      options, {.grid = true, .sharing = true, .branches = true, .instructions = true});
  (void)report.add(*file);
  (void)report.add(*file);
  report.rows();
  report.grid({50, 100, 20});
  report.memory();
  report.sharing(report::Contention::threads);
  report.sharing();
  report.branches();
  report.spots();
  for (const auto& function : report.functions()) report.code(function);
  (void)extract(*file, {.times = {{0, INT64_MAX}}}, kOutput.path("chosen"), {.pass = {.jobs = 1}});
  (void)inject(*file, kOutput.path("named"));
  for (const SplitKey key : {SplitKey::event, SplitKey::thread, SplitKey::comm, SplitKey::cpu})
    (void)split(*file, key, {.times = {{0, INT64_MAX}}}, kOutput.path("parts"),
                {.pass = {.jobs = 1}});
  std::filesystem::remove_all(kOutput.path("parts"));
  return 0;
}

}  // namespace evname::fuzz::profile_target
