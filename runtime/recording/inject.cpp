#include "evname/inject.hpp"

#include <filesystem>

#include "base/output_file.hpp"
#include "base/read_file.hpp"
#include "perfdata/rewrite/renamed_copy.hpp"
#include "recording/perf_data_state.hpp"

namespace evname {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> all_names(const PerfData& file, const std::vector<Renamed>& renamed) {
  std::vector<std::string> names;
  for (const RecordedEvent& event : file.events()) names.push_back(event.recorded_name);
  for (const Renamed& one : renamed) names[one.attr] = one.to;
  return names;
}

Result<void> write_recording(const PerfData& data, const std::vector<Renamed>& renamed,
                             const std::string& path) {
  const perfdata::stream::File& file = detail::state_of(data).file;
  FileAccess access;
  access.limit_to(file.path);
  if (is_directory(file.path)) access.limit_to(file.path + "/data");
  auto out = OutputFile::create(path, access);
  if (!out) return tl::unexpected(out.error());
  const std::vector<std::string> names = all_names(data, renamed);
  Result<void> done;
  if (file.header.pipe)
    done = perfdata::rewrite::write_named_pipe(file, names, *out);
  else if (renamed.empty())
    done = perfdata::rewrite::write_as_is(file, *out);
  else
    done = perfdata::rewrite::write_named_file(file, names, *out);
  return done ? out->commit() : done;
}

Result<void> copy_file(const std::string& from, const std::string& to) {
  FileAccess access;
  access.limit_to(from);
  auto out = OutputFile::create(to, access);
  if (!out) return tl::unexpected(out.error());
  const auto done = out->copy_file(from);
  return done ? out->commit() : done;
}

/// All that is in a recording's directory but `data`, which has the names.
Result<void> copy_others(const std::string& from, const std::string& to) {
  std::error_code error;
  const fs::path data = fs::path(from) / "data";
  for (fs::recursive_directory_iterator at(from, error), end; !error && at != end;
       at.increment(error)) {
    const std::string source = at->path(), target = to / at->path().lexically_relative(from);
    if (source == data) continue;
    const auto done =
        is_directory(source) ? make_directory(target, source) : copy_file(source, target);
    if (!done) return done;
  }
  if (error) return fail(Errc::io, error.message(), from);
  return {};
}

Result<void> write_directory(const PerfData& data, const std::vector<Renamed>& renamed,
                             const std::string& path) {
  const std::string& source = detail::state_of(data).file.path;
  if (path == "-") return fail(Errc::unsupported, "a directory can't be written to a pipe", source);
  auto out = OutputDirectory::create(path, source);
  if (!out) return tl::unexpected(out.error());
  return copy_others(source, out->place())
      .and_then([&] { return write_recording(data, renamed, out->place() + "/data"); })
      .and_then([&] { return out->commit(); });
}

}  // namespace

std::vector<Renamed> names_to_inject(const PerfData& file) {
  std::vector<Renamed> renamed;
  for (const RecordedEvent& event : file.events())
    if (event.named_by == NamedBy::tables && event.full_name() != event.recorded_name)
      renamed.push_back({event.attr, event.recorded_name, event.full_name()});
  return renamed;
}

Result<std::vector<Renamed>> inject(const PerfData& file, const std::string& path) {
  std::vector<Renamed> renamed = names_to_inject(file);
  const bool directory = is_directory(detail::state_of(file).file.path);
  const Result<void> done =
      directory ? write_directory(file, renamed, path) : write_recording(file, renamed, path);
  if (!done) return tl::unexpected(done.error());
  return renamed;
}

}  // namespace evname
