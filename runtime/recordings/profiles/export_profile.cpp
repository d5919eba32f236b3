// Chooses the writer of a format, and sends its bytes to a sink, compressed if necessary.

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "base/enum_table.hpp"
#include "base/output/output_file.hpp"
#include "base/text.hpp"
#include "recordings/perf_data/recording_state.hpp"
#include "recordings/profiles/branch_profile.hpp"
#include "recordings/profiles/profile.hpp"

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

namespace evname::profiles {

#ifdef HAVE_ZLIB

struct Output::Gzip {
  Gzip() {
    constexpr int kGzipHeader = 16;
    constexpr int kLevel = 4;  // 2 % more bytes than zlib's own choice, in a third of the time
    if (deflateInit2(&stream, kLevel, Z_DEFLATED, MAX_WBITS + kGzipHeader, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~Gzip() { deflateEnd(&stream); }
  Gzip(const Gzip&) = delete;

  bool write(std::string& bytes, int flush, const TextSink& sink) {
    std::array<char, 1 << 15> packed;
    stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(packed.data());
      stream.avail_out = packed.size();
      deflate(&stream, flush);
      const std::size_t size = packed.size() - stream.avail_out;
      if (size > 0 && !sink({packed.data(), size})) return false;
    } while (stream.avail_out == 0);
    return true;
  }

  z_stream stream = {};
};

#else

struct Output::Gzip {
  bool write(std::string&, int, const TextSink&) { return false; }
};
constexpr int Z_NO_FLUSH = 0, Z_FINISH = 4;

#endif

Output::Output(const TextSink& sink, bool gzip)
    : sink_(sink), gzip_(gzip ? std::make_unique<Gzip>() : nullptr) {
  buffer_.reserve(kFull + (kFull >> 2));
}

Output::~Output() = default;

void Output::flush() {
  if (wanted_) wanted_ = gzip_ ? gzip_->write(buffer_, Z_NO_FLUSH, sink_) : sink_(buffer_);
  buffer_.clear();
}

void Output::finish() {
  if (!gzip_) return flush();
  if (wanted_) wanted_ = gzip_->write(buffer_, Z_FINISH, sink_);
  buffer_.clear();
}

}  // namespace evname::profiles

namespace evname::profiles {
namespace {

#ifdef HAVE_PROTOZERO
constexpr std::string_view kNoProtozero = "", kNoZlib = kHasGzip ? "" : "zlib";
#define EVNAME_MAKE_protobuf(make) make
#else
constexpr std::string_view kNoProtozero = "protozero",
                           kNoZlib = kHasGzip ? "protozero" : "protozero and zlib";
#define EVNAME_MAKE_protobuf(make) nullptr
#endif
#define EVNAME_MAKE_gzipped_protobuf EVNAME_MAKE_protobuf
#define EVNAME_MAKE_nothing(make) make

/// What formats need: the libraries that this build lacks for it.
struct Needs {
  std::string_view missing;
  bool gzip = false;
};
namespace needed {
constexpr Needs nothing = {""}, protobuf = {kNoProtozero}, gzipped_protobuf = {kNoZlib, true};
}  // namespace needed

constexpr auto kFormats = enum_table<&ProfileFormatInfo::format>({
#define EVNAME_PROFILE_FORMAT(name, NAME, word, needs, is_text, what) \
  {ProfileFormat::name, word, what, needed::needs.missing, false, is_text},
#define EVNAME_BRANCH_FORMAT(name, Name, word, what) {ProfileFormat::name, word, what, "", true},
#include "evname/profile_formats.def"
});

/// Formats of compilers have counting rules instead of a writer.
struct WriterRow {
  ProfileFormat format;
  std::unique_ptr<Writer> (*make)(const WriterSetup& setup);
  bool always_gzip = false;
  const BranchRules* branches = nullptr;
};
constexpr auto kWriters = enum_table<&WriterRow::format>({
#define EVNAME_PROFILE_FORMAT(name, NAME, word, needs, is_text, what) \
  {ProfileFormat::name, EVNAME_MAKE_##needs(make_##name##_writer), needed::needs.gzip},
#define EVNAME_BRANCH_FORMAT(name, Name, word, what) \
  {ProfileFormat::name, nullptr, false, &k##Name##Rules},
#include "evname/profile_formats.def"
});

Result<void> check(std::span<const Recording> files, const ProfileOptions& options) {
  if (files.empty()) return fail(Errc::invalid_argument, "no recording to make a profile of");
  if (!kFormats.find(options.format))
    return fail(Errc::invalid_argument, "there is no such format");
  const ProfileFormatInfo& format = kFormats[options.format];
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

Result<ProfileTally> export_profile(std::span<const Recording> files, const ProfileOptions& options,
                                    const TextSink& sink) {
  if (auto done = profiles::check(files, options); !done) return fail(done);
  const profiles::WriterRow& row = profiles::kWriters[options.format];
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

Result<ProfileTally> export_profile(std::span<const Recording> files, const ProfileOptions& options,
                                    const std::string& path) {
  std::vector<std::string> paths;
  if (options.symbols != nullptr)
    for (const std::string& used :
         {options.symbols->options().vmlinux, options.symbols->options().kallsyms})
      if (!used.empty()) paths.push_back(used);
  for (const Recording& file : files) paths.push_back(detail::state_of(file).file.path);
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
