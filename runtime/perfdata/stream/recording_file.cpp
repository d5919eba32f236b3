#include "perfdata/stream/recording_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "perfdata/format/feature_table.hpp"
#include "perfdata/stream/prologue.hpp"

namespace evname::perfdata::stream {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kPipeHeader = 16;

// perf reads every data.* there is; names sorted, so that equal times come in a fixed order.
std::vector<std::string> stream_files(const std::string& directory) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const std::string name = at->path().filename().string();
    if (name.starts_with("data.") && at->is_regular_file(ignored)) found.push_back(name);
  }
  std::sort(found.begin(), found.end(), [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return found;
}

void add_directory_streams(const std::string& directory, File& file, std::vector<MappedFile>& maps,
                           Warnings& warnings) {
  if (file.features.dir_format == 0) return;  // one file and, say, a copy of kcore
  if (file.features.dir_format != 1)
    return warnings.add(fmt::format("directory format {} is unknown; its data.* are not read",
                                    file.features.dir_format));
  const std::vector<std::string> names = stream_files(directory);
  if (names.empty()) warnings.add("directory has no data.* files");
  for (const std::string& name : names) {
    auto map = MappedFile::open(directory + '/' + name);
    if (!map) {
      warnings.add(map.error().text());
      continue;
    }
    file.streams.push_back({map->bytes(), 0, name});
    maps.push_back(std::move(*map));
  }
}

// A descriptor that can't be mapped and has to be read as it comes; nullptr: it is a plain file.
std::shared_ptr<OneWay> open_one_way(const std::string& path) {
  const bool standard_input = path == "-";
  struct stat info {};
  if (!standard_input && (::stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode)))
    return nullptr;
  const int fd = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  auto pipe = fd < 0 ? nullptr : std::make_shared<OneWay>(fd, !standard_input);
  if (!pipe || ::fstat(fd, &info) != 0 || S_ISDIR(info.st_mode)) return nullptr;
  return S_ISREG(info.st_mode) && ::lseek(fd, 0, SEEK_CUR) == 0 ? nullptr : pipe;
}

// Reads up to the first sample of what perf writes to a pipe. Other streams have to be there as a
// whole: false, with what was read so far in `bytes`.
Result<bool> begin_pipe(OneWay& pipe, std::vector<std::uint8_t>& bytes) {
  bytes.resize(kPipeHeader);
  for (std::size_t have = 0; have < kPipeHeader;) {
    const auto got = pipe.read(bytes.data() + have, kPipeHeader - have);
    if (!got) return tl::unexpected(got.error());
    have += *got;
    if (*got == 0) bytes.resize(have);
    if (*got == 0) return false;
  }
  Warnings ignored;
  const auto header = read_header(bytes, "", ignored);
  if (!header || !header->pipe) return false;
  return read_prologue(pipe, header->order, bytes);
}

Error with_directory_hint(const std::string& path, Error error) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored) && error.hint.empty())
    error.hint = path + " is a directory; one that perf recorded into has the file 'data'";
  return error;
}

}  // namespace

std::string File::main_path() const {
  std::error_code ignored;
  return fs::is_directory(path, ignored) ? path + "/data" : path;
}

// `bytes` are those of the file's mapping or prologue.
Result<File> File::parse(File file, Bytes bytes, std::shared_ptr<OneWay> more) {
  Warnings warnings;
  const std::string name = file.path == "-" ? "standard input" : file.path;
  auto header = read_header(bytes, name, warnings);
  if (!header) return tl::unexpected(header.error());
  file.header = *header;
  if (header->pipe) {
    file.streams.push_back({bytes.subspan(kPipeHeader), kPipeHeader, {}, std::move(more)});
    read_pipe_records(file.streams[0], file, warnings);
  } else {
    read_attrs(bytes, *header, file.events, warnings);
    read_features(bytes, *header, file.features, warnings);
    name_events(file.features, file.events);
    file.streams.push_back({section_of(bytes, header->data), header->data.offset, {}});
    read_early_updates(file.streams[0], file, warnings);
  }
  std::error_code ignored;
  if (fs::is_directory(file.path, ignored))
    add_directory_streams(file.path, file, file.maps_, warnings);
  if (file.events.size() == 0) warnings.add("file has no events");
  file.warnings = warnings.take();
  return file;
}

Result<File> File::open(const std::string& path) {
  File file;
  file.path = path;
  const auto pipe = open_one_way(path);
  if (pipe) {
    const auto flows = begin_pipe(*pipe, file.prologue_);
    if (!flows) return tl::unexpected(flows.error());
    const Bytes prologue = file.prologue_;
    if (*flows) return parse(std::move(file), prologue, pipe);
  }
  auto map = pipe ? MappedFile::spool(file.prologue_, pipe->fd(), path)
                  : MappedFile::open(file.main_path());
  if (!map) return tl::unexpected(with_directory_hint(file.path, map.error()));
  const Bytes bytes = map->bytes();
  file.maps_.push_back(std::move(*map));
  return parse(std::move(file), bytes, nullptr);
}

}  // namespace evname::perfdata::stream
