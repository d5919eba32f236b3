// Profiles and smaller recordings for C.

#include "c/filters.hpp"
#include "c/guard.hpp"
#include "c/symbol_handles.hpp"
#include "evname/profile.h"
#include "evname/profile.hpp"
#include "evname/rewrite.hpp"

using namespace evname::c;

namespace {

using evname::ProfileFormat;
using evname::SplitKey;

static_assert(static_cast<int>(ProfileFormat::pprof) == EVNAME_PROFILE_PPROF);
static_assert(static_cast<int>(ProfileFormat::firefox) == EVNAME_PROFILE_FIREFOX);
static_assert(static_cast<int>(ProfileFormat::speedscope) == EVNAME_PROFILE_SPEEDSCOPE);
static_assert(static_cast<int>(ProfileFormat::perfetto) == EVNAME_PROFILE_PERFETTO);
static_assert(static_cast<int>(SplitKey::event) == EVNAME_SPLIT_EVENT);
static_assert(static_cast<int>(SplitKey::thread) == EVNAME_SPLIT_THREAD);
static_assert(static_cast<int>(SplitKey::comm) == EVNAME_SPLIT_COMM);
static_assert(static_cast<int>(SplitKey::cpu) == EVNAME_SPLIT_CPU);

evname::Result<evname::ProfileOptions> profile_options_of(const evname_profile_options* from,
                                                          const evname_filter* filter) {
  evname::ProfileOptions to;
  auto pass = pass_of(filter);
  if (!pass) return tl::unexpected<evname::Error>(std::move(pass.error()));
  to.pass = std::move(*pass);
  to.filter = filter_of(filter);
  if (from == nullptr) return to;
  if (from->format > EVNAME_PROFILE_PERFETTO)
    return evname::fail(evname::Errc::invalid_argument, "there is no such format");
  if ((from->flags & ~std::uint32_t{EVNAME_PROFILE_GZIP}) != 0)
    return evname::fail(evname::Errc::invalid_argument, "flags has bits that mean nothing");
  to.format = static_cast<ProfileFormat>(from->format);
  to.gzip = (from->flags & EVNAME_PROFILE_GZIP) != 0;
  if (from->symbols != nullptr) to.symbols = &from->symbols->symbols;
  return to;
}

}  // namespace

struct evname_parts {
  std::vector<evname::SplitPart> list;
};

int evname_profile_write(const evname_recording* const* recordings, size_t count,
                         const evname_profile_options* options, const evname_filter* filter,
                         const char* path, uint64_t* samples, evname_tally* tallies,
                         evname_error* error) {
  if (samples != nullptr) *samples = 0;
  return guarded(error, [&]() -> evname::Result<void> {
    auto how = profile_options_of(options, filter);
    if (!how) return tl::unexpected<evname::Error>(std::move(how.error()));
    std::vector<evname::PerfData> files;
    for (std::size_t i = 0; i < count; ++i) files.push_back(recordings[i]->file);
    const auto done = evname::export_profile(files, *how, std::string(path));
    if (!done) return tl::unexpected<evname::Error>(done.error());
    if (samples != nullptr) *samples = done->samples;
    for (std::size_t i = 0; tallies != nullptr && i < count; ++i)
      set_tally(done->files[i], &tallies[i]);
    return {};
  });
}

int evname_extract(const evname_recording* recording, const evname_filter* filter, const char* path,
                   uint64_t* samples, evname_tally* tally, evname_error* error) {
  if (samples != nullptr) *samples = 0;
  return guarded(error, [&]() -> evname::Result<void> {
    auto pass = pass_of(filter);
    if (!pass) return tl::unexpected<evname::Error>(std::move(pass.error()));
    const auto done = evname::extract(recording->file, filter_of(filter), path, {.pass = *pass});
    if (!done) return tl::unexpected<evname::Error>(done.error());
    if (samples != nullptr) *samples = done->tally.selected;
    set_tally(done->tally, tally);
    return {};
  });
}

int evname_split(const evname_recording* recording, uint32_t key, const evname_filter* filter,
                 const char* directory, evname_parts** out, evname_tally* tally,
                 evname_error* error) {
  *out = nullptr;
  return guarded(error, [&]() -> evname::Result<void> {
    if (key > EVNAME_SPLIT_CPU)
      return evname::fail(evname::Errc::invalid_argument, "there is no such key");
    auto pass = pass_of(filter);
    if (!pass) return tl::unexpected<evname::Error>(std::move(pass.error()));
    auto done = evname::split(recording->file, static_cast<SplitKey>(key), filter_of(filter),
                              directory, {.pass = *pass});
    if (!done) return tl::unexpected<evname::Error>(std::move(done.error()));
    *out = new evname_parts{std::move(done->parts)};
    set_tally(done->tally, tally);
    return {};
  });
}

size_t evname_parts_count(const evname_parts* parts) { return parts->list.size(); }

int evname_parts_at(const evname_parts* parts, size_t index, evname_part* out) {
  *out = {"", "", 0, {}};
  if (index >= parts->list.size()) return EVNAME_OUT_OF_RANGE;
  const evname::SplitPart& part = parts->list[index];
  *out = {part.key.c_str(), part.path.c_str(), part.samples, {}};
  return EVNAME_OK;
}

void evname_parts_free(evname_parts* parts) { delete parts; }
