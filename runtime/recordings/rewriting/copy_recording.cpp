#include "recordings/rewriting/copies.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/output/output_directory.hpp"
#include "base/read_file.hpp"
#include "recordings/perf_data/recording_state.hpp"

namespace evname::rewriting {
namespace {

namespace fs = std::filesystem;
using stream::File;

std::vector<std::string> all_names(const Recording& file, std::span<const Renamed> renamed) {
  std::vector<std::string> names;
  const std::size_t recorded = detail::state_of(file).file.events.recorded();
  for (const RecordedEvent& event : file.events().first(recorded))
    names.push_back(event.recorded_name);
  for (const Renamed& one : renamed) names[one.attr] = one.to;
  return names;
}

class Copy {
 public:
  Copy(const Recording& data, const Changes& changes, Replaces replaces)
      : file_(detail::state_of(data).file),
        changes_(changes),
        replaces_(replaces),
        names_(all_names(data, changes.renamed)),
        total_(changes.progress ? bytes_of(file_) : 0) {}

  /// A file, or the main one of a directory.
  Result<void> main_file(const std::string& path) {
    return to_file(path, file_.path,
                   [&](OutputFile& out) { return changes_.chosen ? chosen(out) : whole(out); });
  }

  Result<void> directory(const std::string& path) {
    if (path == "-")
      return fail(Errc::unsupported, "a directory can't be written to a pipe", file_.path);
    if (is_in_directory(path, file_.path))
      return fail(Errc::invalid_argument, "is inside of the recording, which is a directory", path);
    auto out = OutputDirectory::create(path, file_.path);
    if (!out) return fail(out);
    return others(out->place())
        .and_then([&] { return main_file(out->place() + "/data"); })
        .and_then([&] { return out->commit(); });
  }

  std::vector<std::string> take_warnings() { return std::move(warnings_); }

 private:
  template <class Write>
  Result<void> to_file(const std::string& path, const std::string& made_from, Write&& write) {
    auto out = OutputFile::create(path, {&made_from, 1}, replaces_);
    if (!out) return fail(out);
    std::uint64_t written = 0;
    if (changes_.progress)
      out->tell([&](std::uint64_t now) {
        written = now;
        const std::uint64_t done = done_ + now;
        return changes_.progress(total_ == 0 ? done : std::min(done, total_), total_);
      });
    if (Result<void> done = write(*out); !done) return done;
    done_ += written;
    return out->commit();
  }

  Result<void> whole(OutputFile& out) const {
    if (file_.header.pipe) return write_named_pipe(file_, names_, out);
    if (has_feature()) return write_changed_file(file_, changes_.feature, out);
    if (changes_.renamed.empty()) return write_as_is(file_, out);
    return write_changed_file(file_, event_desc(file_, names_), out);
  }

  bool has_feature() const { return !changes_.feature.content.empty(); }

  Result<void> chosen(OutputFile& out) {
    const ChosenSamples& chosen = *changes_.chosen;
    if (file_.header.pipe)
      return keep_warnings(
          write_chosen_pipe(file_, names_, changes_.feature, chosen, changes_.edits, out));
    const bool is_needed = has_feature() || !changes_.renamed.empty();
    return keep_warnings(
        write_chosen_file(file_, has_feature() ? changes_.feature : event_desc(file_, names_),
                          is_needed, chosen, changes_.edits, out));
  }

  Result<void> keep_warnings(Result<ChosenStream> written) {
    if (!written) return fail(written);
    warnings_.insert(warnings_.end(), written->warnings.begin(), written->warnings.end());
    return {};
  }

  /// Copies a recording's directory except for `data`, which is written last.
  Result<void> others(const std::string& to) {
    std::error_code error;
    const fs::path data = fs::path(file_.path) / "data";
    for (fs::recursive_directory_iterator at(file_.path, error), end; !error && at != end;
         at.increment(error)) {
      const std::string source = at->path(),
                        target = to / at->path().lexically_relative(file_.path);
      if (source == data) continue;
      auto done = is_directory(source) ? make_directory(target, source) : other(source, target);
      if (!done) return done;
    }
    if (error) return fail(Errc::io, error.message(), file_.path);
    return {};
  }

  Result<void> other(const std::string& from, const std::string& to) {
    return to_file(to, from, [&](OutputFile& out) {
      for (const stream::Stream& stream : file_.streams)
        if (changes_.chosen && !stream.name.empty() && from == file_.path + '/' + stream.name)
          return keep_warnings(
              write_chosen_stream(file_, stream, *changes_.chosen, changes_.edits, out));
      return out.copy_file(from);
    });
  }

  const File& file_;
  const Changes& changes_;
  Replaces replaces_;
  std::vector<std::string> names_;
  std::uint64_t total_, done_ = 0;  ///< bytes; done: of earlier files of a directory
  std::vector<std::string> warnings_;
};

}  // namespace

std::uint64_t bytes_of(const File& file) {
  if (!is_directory(file.source)) return file.streams[0].more ? 0 : file.bytes().size();
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(file.path, error), end; !error && at != end;
       at.increment(error))
    if (struct stat file_status;
        ::stat(at->path().c_str(), &file_status) == 0 && S_ISREG(file_status.st_mode))
      bytes += static_cast<std::uint64_t>(file_status.st_size);
  return bytes;
}

Result<std::vector<std::string>> copy_recording(const Recording& data, const Changes& changes,
                                                const std::string& path, Replaces replaces) {
  Copy copy(data, changes, replaces);
  const bool directory = is_directory(detail::state_of(data).file.source);
  const Result<void> done = directory ? copy.directory(path) : copy.main_file(path);
  if (!done) return fail(done);
  return copy.take_warnings();
}

}  // namespace evname::rewriting

namespace evname {

std::vector<Renamed> names_to_inject(const Recording& file) {
  std::vector<Renamed> renamed;
  for (const RecordedEvent& event : file.events())
    if (event.named_by == NamedBy::tables && event.full_name() != event.recorded_name)
      renamed.push_back({event.attr, event.recorded_name, event.full_name()});
  return renamed;
}

Result<std::vector<Renamed>> inject(const Recording& file, const std::string& path,
                                    const PassOptions& pass) {
  std::vector<Renamed> renamed = names_to_inject(file);
  const auto done =
      rewriting::copy_recording(file, {renamed, nullptr, pass.progress}, path, Replaces::all);
  if (!done) return fail(done);
  return renamed;
}

}  // namespace evname
