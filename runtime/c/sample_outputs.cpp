// Implements the text, reports, profiles and new recordings of recordings.h.

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/output/write_all.hpp"
#include "c/handles.hpp"
#include "evname/annotate.hpp"
#include "evname/profile.hpp"
#include "evname/report.hpp"
#include "evname/rewrite.hpp"

using namespace evname::c;

namespace {

using evname::Errc;
using evname::fail;
using evname::Format;
using evname::Result;

static_assert(static_cast<int>(Format::text) == EVNAME_FORMAT_TEXT);
static_assert(static_cast<int>(Format::csv) == EVNAME_FORMAT_CSV);
static_assert(static_cast<int>(Format::jsonl) == EVNAME_FORMAT_JSONL);
static_assert(static_cast<int>(Format::folded) == EVNAME_FORMAT_FOLDED);

constexpr std::uint32_t kAllAnnotateFlags =
    EVNAME_ANNOTATE_RECORDED_NAMES | EVNAME_ANNOTATE_COUNT_PERIODS;

Result<evname::AnnotateOptions> options_of(const evname_annotate_options* from) {
  evname::AnnotateOptions to;
  if (from == nullptr) return to;
  if (from->format > EVNAME_FORMAT_FOLDED)
    return fail(Errc::invalid_argument, "there is no such format");
  if (auto good = check_flags(from->flags, kAllAnnotateFlags); !good) return fail(good);
  if (auto good = check_reserved(from->reserved); !good) return fail(good);
  to.format = static_cast<Format>(from->format);
  if (from->fields != nullptr) {
    auto fields = evname::parse_fields(from->fields, evname::default_fields(to.format));
    if (!fields) return evname::fail(std::move(fields));
    to.fields = std::move(*fields);
  }
  if (from->flags & EVNAME_ANNOTATE_RECORDED_NAMES) to.names = evname::NameStyle::recorded;
  to.count_periods = (from->flags & EVNAME_ANNOTATE_COUNT_PERIODS) != 0;
  if (from->limit > 0) to.limit = from->limit;
  return to;
}

}  // namespace

struct evname_report {
  evname::Report report;
  std::vector<evname::Report::Row> rows;
  std::vector<std::vector<const char*>> keys;  ///< of each row

  void refresh() {
    rows = report.rows();
    keys.clear();
    for (const evname::Report::Row& row : rows) {
      auto& texts = keys.emplace_back();
      for (const std::string& key : row.keys) texts.push_back(key.c_str());
    }
  }
};

struct evname_renames {
  std::vector<evname::Renamed> list;
};

int evname_parse_times(const evname_recording* recording, const char* text, evname_time_range* out,
                       size_t room, size_t* count, evname_error* error) {
  set(count, 0);
  return guarded(error, {recording, text, array(out, room), count}, [&]() -> Result<void> {
    const auto ranges = evname::parse_times(text, recording->file);
    if (!ranges) return evname::fail(ranges);
    *count = ranges->size();
    for (std::size_t i = 0; i < std::min(room, ranges->size()); ++i)
      out[i] = {(*ranges)[i].first, (*ranges)[i].last};
    return {};
  });
}

int evname_annotate(const evname_recording* recording, const evname_annotate_options* options,
                    const evname_filter* filter, int file, evname_tally* tally,
                    evname_error* error) {
  return guarded(error, {recording}, [&]() -> Result<void> {
    auto how = options_of(options);
    if (!how) return evname::fail(std::move(how));
    auto pass = pass_of(filter);
    if (!pass) return evname::fail(std::move(pass));
    how->filter = filter_of(filter);
    how->pass = std::move(*pass);
    int refused = 0;
    const auto done = evname::annotate(recording->file, *how, [&](std::string_view text) {
      if (!evname::write_all(file, text)) refused = errno;
      return refused == 0;
    });
    if (!done) return evname::fail(done);
    if (refused != 0) return fail(Errc::io, std::strerror(refused));
    set_tally(*done, tally);
    return {};
  });
}

int evname_report_new(const char* keys, const evname_filter* filter, evname_report** out,
                      evname_error* error) {
  set(out, nullptr);
  return guarded(error, {out}, [&]() -> Result<void> {
    evname::ReportOptions options;
    const char* const text = keys == nullptr ? "event" : keys;
    auto parsed = evname::parse_sort_keys(text, options.fields);
    const auto names_event = [](const std::string& field) { return field.find('.') != field.npos; };
    if (parsed && !std::ranges::all_of(options.fields, names_event))
      parsed =
          evname::parse_sort_keys(text);  // whether a recording has such fields is not known yet
    if (!parsed) return evname::fail(std::move(parsed));
    auto pass = pass_of(filter);
    if (!pass) return evname::fail(std::move(pass));
    options.keys = std::move(*parsed);
    options.filter = filter_of(filter);
    options.pass = std::move(*pass);
    *out = new evname_report{evname::Report(std::move(options)), {}, {}};
    return {};
  });
}

void evname_report_free(evname_report* report) { delete report; }

int evname_report_add(evname_report* report, const evname_recording* recording, evname_tally* tally,
                      evname_error* error) {
  return guarded(error, {report, recording}, [&]() -> Result<void> {
    evname_report next{report->report, {}, {}};
    const auto found = next.report.add(recording->file);
    if (!found) return fail(found);
    next.refresh();
    *report = std::move(next);
    set_tally(*found, tally);
    return {};
  });
}

size_t evname_report_row_count(const evname_report* report) {
  return report == nullptr ? 0 : report->keys.size();
}

int evname_report_row_at(const evname_report* report, size_t index, evname_report_row* out) {
  if (out == nullptr) return EVNAME_INVALID_ARGUMENT;
  *out = {};
  if (report == nullptr) return EVNAME_INVALID_ARGUMENT;
  if (index >= report->keys.size()) return EVNAME_OUT_OF_RANGE;
  const evname::Report::Row& row = report->rows[index];
  *out = {report->keys[index].data(),
          report->keys[index].size(),
          row.samples,
          row.period,
          row.share,
          row.first,
          row.last,
          row.lost,
          row.throttled,
          row.of,
          {}};
  return EVNAME_OK;
}

int evname_inject(const evname_recording* recording, const char* path, evname_renames** out,
                  evname_error* error) {
  return evname_inject_with(recording, path, nullptr, nullptr, out, error);
}

int evname_inject_with(const evname_recording* recording, const char* path,
                       evname_progress progress, void* context, evname_renames** out,
                       evname_error* error) {
  if (out != nullptr) *out = nullptr;
  return guarded(error, {recording}, [&]() -> Result<void> {
    auto renamed =
        path == nullptr
            ? Result<std::vector<evname::Renamed>>(evname::names_to_inject(recording->file))
            : evname::inject(recording->file, path, {.progress = progress_of(progress, context)});
    if (!renamed) return evname::fail(std::move(renamed));
    if (out != nullptr) *out = new evname_renames{std::move(*renamed)};
    return {};
  });
}

size_t evname_renames_count(const evname_renames* renames) {
  return renames == nullptr ? 0 : renames->list.size();
}

int evname_renames_at(const evname_renames* renames, size_t index, evname_rename* out) {
  if (out == nullptr) return EVNAME_INVALID_ARGUMENT;
  *out = {0, "", "", {}};
  if (renames == nullptr) return EVNAME_INVALID_ARGUMENT;
  if (index >= renames->list.size()) return EVNAME_OUT_OF_RANGE;
  const evname::Renamed& one = renames->list[index];
  *out = {one.attr, one.from.c_str(), one.to.c_str(), {}};
  return EVNAME_OK;
}

void evname_renames_free(evname_renames* renames) { delete renames; }

namespace {

using evname::ProfileFormat;
using evname::SplitKey;

#define EVNAME_PROFILE_FORMAT(name, NAME, ...) \
  static_assert(static_cast<int>(ProfileFormat::name) == EVNAME_PROFILE_##NAME);
#include "evname/profile_formats.def"
static_assert(static_cast<int>(SplitKey::event) == EVNAME_SPLIT_EVENT);
static_assert(static_cast<int>(SplitKey::thread) == EVNAME_SPLIT_THREAD);
static_assert(static_cast<int>(SplitKey::comm) == EVNAME_SPLIT_COMM);
static_assert(static_cast<int>(SplitKey::cpu) == EVNAME_SPLIT_CPU);

evname::Result<evname::ProfileOptions> profile_options_of(const evname_profile_options* from,
                                                          const evname_filter* filter) {
  evname::ProfileOptions to;
  auto pass = pass_of(filter);
  if (!pass) return evname::fail(std::move(pass));
  to.pass = std::move(*pass);
  to.filter = filter_of(filter);
  if (from == nullptr) return to;
  const auto formats = evname::profile_formats();
  if (from->format >= formats.size() || formats[from->format].for_binary)
    return evname::fail(evname::Errc::invalid_argument, "there is no such format");
  if (auto good = check_flags(from->flags, EVNAME_PROFILE_GZIP); !good)
    return evname::fail(std::move(good));
  if (auto good = check_reserved(from->reserved); !good) return evname::fail(std::move(good));
  to.format = static_cast<ProfileFormat>(from->format);
  to.gzip = (from->flags & EVNAME_PROFILE_GZIP) != 0;
  if (from->symbols != nullptr) to.symbols = from->symbols->symbols.get();
  return to;
}

}  // namespace

struct evname_parts {
  std::vector<evname::SplitResult::Part> list;
};

int evname_profile_write(const evname_recording* const* recordings, size_t count,
                         const evname_profile_options* options, const evname_filter* filter,
                         const char* path, uint64_t* samples, evname_tally* tallies,
                         evname_error* error) {
  if (samples != nullptr) *samples = 0;
  return guarded(error, {array(recordings, count), path}, [&]() -> evname::Result<void> {
    auto how = profile_options_of(options, filter);
    if (!how) return evname::fail(std::move(how));
    if (std::ranges::count(std::span(recordings, count), nullptr) != 0)
      return fail(Errc::invalid_argument, "a recording is NULL");
    std::vector<evname::Recording> files;
    for (std::size_t i = 0; i < count; ++i) files.push_back(recordings[i]->file);
    const auto done = evname::export_profile(files, *how, std::string(path));
    if (!done) return evname::fail(done);
    if (samples != nullptr) *samples = done->samples;
    for (std::size_t i = 0; tallies != nullptr && i < count; ++i)
      set_tally(done->files[i], &tallies[i]);
    return {};
  });
}

int evname_extract(const evname_recording* recording, const evname_filter* filter, const char* path,
                   uint64_t* samples, evname_tally* tally, evname_error* error) {
  if (samples != nullptr) *samples = 0;
  return guarded(error, {recording, path}, [&]() -> evname::Result<void> {
    auto pass = pass_of(filter);
    if (!pass) return evname::fail(std::move(pass));
    const auto done = evname::extract(recording->file, filter_of(filter), path, {.pass = *pass});
    if (!done) return evname::fail(done);
    if (samples != nullptr) *samples = done->tally.selected;
    set_tally(done->tally, tally);
    return {};
  });
}

int evname_pack(const evname_recording* recording, const evname_symbols* symbols, const char* path,
                evname_progress progress, void* context, uint64_t* places, evname_error* error) {
  if (places != nullptr) *places = 0;
  return guarded(error, {recording, path}, [&]() -> evname::Result<void> {
    std::optional<evname::Symbols> own;
    if (symbols == nullptr) own.emplace();
    const auto done = evname::pack(recording->file, own ? *own : *symbols->symbols, path,
                                   {.progress = progress_of(progress, context)});
    if (!done) return evname::fail(done);
    if (places != nullptr) *places = done->places;
    return {};
  });
}

int evname_split(const evname_recording* recording, uint32_t key, const evname_filter* filter,
                 const char* directory, evname_parts** out, evname_tally* tally,
                 evname_error* error) {
  set(out, nullptr);
  return guarded(error, {recording, directory, out}, [&]() -> evname::Result<void> {
    if (key > EVNAME_SPLIT_CPU)
      return evname::fail(evname::Errc::invalid_argument, "there is no such key");
    auto pass = pass_of(filter);
    if (!pass) return evname::fail(std::move(pass));
    auto done = evname::split(recording->file, static_cast<SplitKey>(key), filter_of(filter),
                              directory, {.pass = *pass});
    if (!done) return evname::fail(std::move(done));
    *out = new evname_parts{std::move(done->parts)};
    set_tally(done->tally, tally);
    return {};
  });
}

size_t evname_parts_count(const evname_parts* parts) {
  return parts == nullptr ? 0 : parts->list.size();
}

int evname_parts_at(const evname_parts* parts, size_t index, evname_part* out) {
  if (out == nullptr) return EVNAME_INVALID_ARGUMENT;
  *out = {"", "", 0, {}};
  if (parts == nullptr) return EVNAME_INVALID_ARGUMENT;
  if (index >= parts->list.size()) return EVNAME_OUT_OF_RANGE;
  const evname::SplitResult::Part& part = parts->list[index];
  *out = {part.key.c_str(), part.path.c_str(), part.samples, {}};
  return EVNAME_OK;
}

void evname_parts_free(evname_parts* parts) { delete parts; }
