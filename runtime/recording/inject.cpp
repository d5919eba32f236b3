#include "evname/inject.hpp"

#include <filesystem>

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

Result<void> write_file(const PerfData& data, const std::vector<Renamed>& renamed,
                        const std::string& path) {
  const perfdata::stream::File& file = detail::state_of(data).file;
  auto out = AtomicFile::create(path);
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

/// The directory is made beside its place and moved there when it is complete.
Result<void> write_directory(const PerfData& data, const std::vector<Renamed>& renamed,
                             const std::string& path) {
  const std::string& source = detail::state_of(data).file.path;
  const std::string temporary = path + ".tmp";
  std::error_code error;
  if (path == "-") return fail(Errc::unsupported, "a directory can't be written to a pipe", source);
  if (fs::exists(path, error)) return fail(Errc::io, "already exists", path);
  fs::remove_all(temporary, error);
  fs::copy(source, temporary, fs::copy_options::recursive, error);
  Result<void> done;
  if (error)
    done = fail(Errc::io, error.message(), path);
  else
    done = write_file(data, renamed, temporary + "/data");
  if (done) fs::rename(temporary, path, error);
  if (done && error) done = fail(Errc::io, error.message(), path);
  if (!done) fs::remove_all(temporary, error);
  return done;
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
  std::error_code ignored;
  const bool directory = fs::is_directory(detail::state_of(file).file.path, ignored);
  const Result<void> done =
      directory ? write_directory(file, renamed, path) : write_file(file, renamed, path);
  if (!done) return tl::unexpected(done.error());
  return renamed;
}

}  // namespace evname
