#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/output/output_file.hpp"
#include "base/text.hpp"
#include "recordings/perf_data/perf_data_state.hpp"
#include "recordings/profiles/branch_profile.hpp"
#include "recordings/profiles/writers.hpp"

namespace evname::profiles {
namespace {

#ifdef HAVE_PROTOZERO
constexpr auto kMakePprof = make_pprof_writer, kMakePerfetto = make_perfetto_writer,
               kMakeOtlp = make_otlp_writer;
constexpr std::string_view kPprofLacks = kHasGzip ? "" : "zlib";
constexpr std::string_view kProtobufLacks = "";
#else
constexpr std::unique_ptr<Writer> (*kMakePprof)(const WriterSetup&) = nullptr;
constexpr auto kMakePerfetto = kMakePprof, kMakeOtlp = kMakePprof;
constexpr std::string_view kPprofLacks = kHasGzip ? "protozero" : "protozero and zlib";
constexpr std::string_view kProtobufLacks = "protozero";
#endif

constexpr ProfileFormatInfo kFormats[] = {
    {ProfileFormat::pprof, "pprof", "for go tool pprof and its like; always gzipped", kPprofLacks,
     false, false},
    {ProfileFormat::firefox, "firefox", "JSON for Firefox Profiler", ""},
    {ProfileFormat::speedscope, "speedscope", "JSON for speedscope", ""},
    {ProfileFormat::perfetto, "perfetto", "a trace for Perfetto", kProtobufLacks, false, false},
    {ProfileFormat::otlp, "otlp", "for OpenTelemetry, as protobuf; its format is still Alpha",
     kProtobufLacks, false, false},
    {ProfileFormat::otlp_json, "otlp-json", "the same as JSON", ""},
    {ProfileFormat::bolt, "bolt", "branches of --binary, for perf2bolt -pa", "", true},
    {ProfileFormat::profgen, "profgen", "the same for llvm-profgen --unsymbolized-profile", "",
     true},
    {ProfileFormat::autofdo, "autofdo", "the same for create_llvm_prof --profiler=text", "", true}};

/// Formats of compilers have counting rules instead of a writer.
struct WriterRow {
  std::unique_ptr<Writer> (*make)(const WriterSetup& setup);
  bool always_gzip = false;
  const BranchRules* branches = nullptr;
};
constexpr WriterRow kWriters[] = {  // in the order of the formats
    {kMakePprof, true},
    {make_firefox_writer},
    {make_speedscope_writer},
    {kMakePerfetto},
    {kMakeOtlp},
    {make_otlp_json_writer},
    {nullptr, false, &kBoltRules},
    {nullptr, false, &kProfgenRules},
    {nullptr, false, &kAutofdoRules}};

Result<void> check(std::span<const PerfData> files, const ProfileOptions& options) {
  if (files.empty()) return fail(Errc::invalid_argument, "no recording to make a profile of");
  const ProfileFormatInfo& format = kFormats[static_cast<std::size_t>(options.format)];
  if (!format.missing.empty())
    return fail(
        Errc::unsupported,
        fmt::format("evname was built without {}, which {} needs", format.missing, format.name), {},
        install_hint("libprotozero-dev and zlib1g-dev", "protozero-devel and zlib-devel"));
  if (options.gzip && !kHasGzip)
    return fail(Errc::unsupported, "evname was built without zlib, which gzip needs", {},
                install_hint("zlib1g-dev", "zlib-devel"));
  if (format.for_binary && options.binary.empty())
    return fail(Errc::invalid_argument,
                fmt::format("{} needs the file that the profile is for", format.name), {},
                "--binary names it");
  if (!format.for_binary && (!options.binary.empty() || !options.recorded_as.empty() ||
                             options.ignore_build_id || options.plain))
    return fail(Errc::invalid_argument, fmt::format("{} is not for one binary alone", format.name));
  return {};
}

}  // namespace
}  // namespace evname::profiles

namespace evname {

std::span<const ProfileFormatInfo> profile_formats() { return profiles::kFormats; }

Result<ProfileTally> export_profile(std::span<const PerfData> files, const ProfileOptions& options,
                                    const TextSink& sink) {
  if (auto done = profiles::check(files, options); !done) return fail(done);
  const profiles::WriterRow& row = profiles::kWriters[static_cast<std::size_t>(options.format)];
  profiles::Output out(sink, options.gzip || row.always_gzip);
  if (row.branches) {
    auto tally = profiles::export_branches(files, options, *row.branches, out);
    if (tally) out.finish();
    return tally;
  }
  profiles::Profile profile(files);
  const auto writer = row.make({profile, out});
  auto tally = profiles::walk(profile, options, *writer);
  if (tally) out.finish();
  return tally;
}

Result<ProfileTally> export_profile(std::span<const PerfData> files, const ProfileOptions& options,
                                    const std::string& path) {
  std::vector<std::string> paths;
  if (options.symbols != nullptr)
    for (const std::string& used :
         {options.symbols->options().vmlinux, options.symbols->options().kallsyms})
      if (!used.empty()) paths.push_back(used);
  for (const PerfData& file : files) paths.push_back(detail::state_of(file).file.path);
  if (!options.binary.empty()) paths.push_back(options.binary);
  auto out = OutputFile::create(path, paths);
  if (!out) return fail(out);
  Result<void> written;
  const TextSink sink = [&](std::string_view bytes) {
    if (written) written = out->write(bytes);
    return written.has_value();
  };
  auto tally = export_profile(files, options, sink);
  if (!tally || tally->samples == 0) return tally;
  if (written && options.symbols != nullptr)
    written = out->is_also_made_from(options.symbols->plain_files());
  if (written) written = out->commit();
  if (!written) return fail(written);
  return tally;
}

}  // namespace evname
