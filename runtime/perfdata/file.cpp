#include "perfdata/file.hpp"

#include <algorithm>
#include <filesystem>

#include "perfdata/names.hpp"
#include "perfdata/pipe.hpp"

namespace evname::perfdata {
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

}  // namespace

Result<File> File::open(const std::string& path) {
  std::error_code ignored;
  const bool directory = fs::is_directory(path, ignored);
  auto map = MappedFile::open(directory ? path + "/data" : path);
  if (!map) return tl::unexpected(map.error());

  File file;
  Warnings warnings;
  file.path = path;
  const Bytes bytes = map->bytes();
  auto header = read_header(bytes, path == "-" ? "standard input" : path, warnings);
  if (!header) return tl::unexpected(header.error());
  file.header = *header;
  if (header->pipe) {
    file.streams.push_back({bytes.subspan(kPipeHeader), kPipeHeader, {}});
  } else {
    read_attrs(bytes, *header, file.events, warnings);
    read_features(bytes, *header, file.features, warnings);
    file.streams.push_back({section_of(bytes, header->data), header->data.offset, {}});
  }
  file.maps_.push_back(std::move(*map));
  if (directory) add_directory_streams(path, file, file.maps_, warnings);
  if (header->pipe) read_pipe_records(file.streams[0], file, warnings);
  name_events(file.features, file.events);
  if (header->pipe) apply_event_updates(file.streams[0], file, warnings);
  if (file.events.size() == 0) warnings.add("file has no events");
  file.warnings = warnings.take();
  return file;
}

}  // namespace evname::perfdata
