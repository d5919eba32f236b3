#include "recordings/stream/recording_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/sorting.hpp"
#include "base/text.hpp"
#include "perf_format/features.hpp"
#include "perf_format/simpleperf.hpp"

namespace evname::stream {
namespace {

constexpr std::size_t kChunk = 64 << 10;
constexpr std::size_t kMaxPrologue = 256 << 20;  // the kernel's symbols, all processes' mappings

void read_feature_record(const perf_format::Record& record, File& file,
                         perf_format::Warnings& warnings) {
  const Bytes body = record.body();
  if (body.size() < 8) return warnings.add(record.offset, "HEADER_FEATURE record is too short");
  const auto number = load<std::uint64_t>(body.data(), file.header.order);
  if (body.size() == 8 && number >= 32) return;  // marks the end of the features
  perf_format::decode_feature(number, body.subspan(8), file.header.order, record.offset,
                              file.features, warnings);
}

// The records are laid out as the feature's entries are.
void read_build_id_record(const perf_format::Record& record, File& file) {
  Cursor in(record.bytes, file.header.order);
  perf_format::decode_build_ids(in, file.features);
  if (!file.features.has(perf_format::Feature::build_id))
    file.features.present.push_back(
        {static_cast<std::uint64_t>(perf_format::Feature::build_id), record.offset, 0, false});
}

void apply_update(const perf_format::Record& record, File& file, perf_format::Warnings& warnings) {
  Cursor in(record.body(), file.header.order);
  const std::uint64_t kind = in.u64(), id = in.u64();
  if (!in.ok() || kind != perf_format::kUpdateName) return;
  std::uint32_t index = file.events.index_of(id);
  if (file.events.size() == 1) index = 0;
  if (index == perf_format::kNoEvent)
    return warnings.add(record.offset, fmt::format("EVENT_UPDATE names unknown event id {}", id));
  file.events.at(index).set_name(std::string(in.text(in.remaining())));
}

}  // namespace

bool begins_data(std::uint32_t type) {
  return type == perf_format::kRecordSample || type == perf_format::kRecordCompressed ||
         type == perf_format::kRecordCompressed2 || type == perf_format::kRecordAuxtrace ||
         type == perf_format::kRecordFinishedRound;
}

bool is_of_prologue(std::uint32_t type) {
  return type == perf_format::kRecordAttr || type == perf_format::kRecordFeature ||
         type == perf_format::kRecordTracingData || type == perf_format::kRecordEventUpdate ||
         type == perf_format::kRecordBuildId;
}

namespace {

void read_pipe_records(const Stream& stream, File& file, perf_format::Warnings& warnings) {
  perf_format::RecordReader reader(stream.bytes, file.header.order, stream.offset);
  std::vector<perf_format::Record> updates;
  for (perf_format::Record record; reader.next(record);) {
    if (record.type == perf_format::kRecordAttr) {
      if (!perf_format::read_attr_record(record, file.header.order, file.events))
        warnings.add(record.offset, "HEADER_ATTR record is too short");
    } else if (record.type == perf_format::kRecordFeature) {
      read_feature_record(record, file, warnings);
    } else if (record.type == perf_format::kRecordTracingData) {
      perf_format::decode_feature(static_cast<std::uint64_t>(perf_format::Feature::tracing_data),
                                  record.payload, file.header.order, record.offset, file.features,
                                  warnings);
    } else if (record.type == perf_format::kRecordBuildId) {
      read_build_id_record(record, file);
    } else if (record.type == perf_format::kRecordEventUpdate) {
      updates.push_back(record);
    }
  }
  perf_format::name_events(file.features, file.events);
  for (const perf_format::Record& record : updates) apply_update(record, file, warnings);
}

void read_early_updates(const Stream& stream, File& file, perf_format::Warnings& warnings) {
  perf_format::RecordReader reader(stream.bytes, file.header.order, stream.offset);
  for (perf_format::Record record; reader.next(record) && !begins_data(record.type);)
    if (record.type == perf_format::kRecordEventUpdate) apply_update(record, file, warnings);
}

/// Reads the records of simpleperf that describe the recording. They precede the samples, except
/// that a merged recording has ids of later events.
void read_simpleperf_records(const Stream& stream, File& file, perf_format::Warnings& warnings) {
  perf_format::Record record;
  const std::endian order = file.header.order;
  if (!perf_format::RecordReader(stream.bytes, order).next(record) ||
      !perf_format::is_of_simpleperf(file.features, record.type))
    return;
  BlockStore blocks;
  perf_format::RecordCounts counts;
  perf_format::Warnings ignored;  // the cursor has the same
  StreamReader reader(stream, order, blocks, counts, ignored, perf_format::Damage::stop);
  perf_format::SimpleperfRecords records(order, file.features, file.events, warnings);
  const bool may_be_merged = file.events.size() > 1;
  for (std::uint32_t block; reader.next(record, block);) {
    if (record.type == perf_format::kRecordSample && !may_be_merged) return;
    records.add(record);
  }
}

Result<bool> read_prologue(OneWay& pipe, std::endian order, std::vector<std::uint8_t>& bytes) {
  bool events = false;
  for (std::size_t at = perf_format::kPipeHeader; bytes.size() < kMaxPrologue;) {
    perf_format::RecordReader reader(Bytes(bytes).subspan(std::min(at, bytes.size())), order, at,
                                     perf_format::RecordReader::Extent::part);
    for (perf_format::Record record; reader.next(record);) {
      if (begins_data(record.type)) return events;
      if (reader.missing() > 0) break;
      events = events || record.type == perf_format::kRecordAttr;
      at = reader.offset();
    }
    const std::size_t size = bytes.size();
    bytes.resize(size + kChunk);
    const auto got = pipe.read(bytes.data() + size, kChunk);
    bytes.resize(size + got.value_or(0));
    if (!got) return fail(got);
    if (*got == 0) break;
  }
  return true;
}

namespace fs = std::filesystem;

constexpr std::string_view kStreamPrefix = "data.";

// perf reads every data.* file; here they are sorted, so that equal times have a fixed order.
std::vector<std::string> stream_files(const std::string& directory) {
  std::vector<std::string> found;
  for (std::string& name : list_directory(directory, SIZE_MAX))
    if (name.starts_with(kStreamPrefix)) found.push_back(std::move(name));
  sort_stably(found, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return found;
}

// perf numbers them from 0 on.
void tell_missing(const std::vector<std::string>& names, perf_format::Warnings& warnings) {
  std::uint64_t next = 0;
  for (const std::string& name : names) {
    const auto number = parse_decimal(std::string_view(name).substr(kStreamPrefix.size()));
    if (!number) continue;
    if (*number == next + 1) warnings.add(fmt::format("data.{} is missing", next));
    if (*number > next + 1)
      warnings.add(fmt::format("data.{} to data.{} are missing", next, *number - 1));
    next = *number + 1;
  }
}

/// Returns true if the data.* files of a directory must be read.
bool has_streams(const File& file, perf_format::Warnings& warnings) {
  const std::uint64_t format = file.features.dir_format;
  if (format > 1)
    warnings.add(fmt::format("directory format {} is unknown; its data.* are not read", format));
  // perf writes the bitmap of features at the start, and their contents at the end.
  constexpr auto kFeature = static_cast<std::size_t>(perf_format::Feature::dir_format);
  const bool is_cut =
      !file.features.has(perf_format::Feature::dir_format) && file.header.features[kFeature];
  if (is_cut) warnings.add("the directory's format is not in the file; its data.* are read");
  return is_cut || format == 1;  // 0: one file and, say, a copy of kcore
}

void add_directory_streams(const std::string& directory, File& file, std::vector<MappedFile>& maps,
                           perf_format::Warnings& warnings) {
  if (!has_streams(file, warnings)) return;
  const std::vector<std::string> names = stream_files(directory);
  if (names.empty()) warnings.add("directory has no data.* files");
  tell_missing(names, warnings);
  for (const std::string& name : names) {
    auto map = MappedFile::open(directory + '/' + name);
    if (!map) {
      warnings.add(name + ": " + map.error().message + ": its samples are not read");
      continue;
    }
    if (map->bytes().empty())
      warnings.add(name + " is empty: its thread recorded nothing, or that is lost");
    file.streams.push_back({map->bytes(), 0, name, nullptr, true});
    maps.push_back(std::move(*map));
  }
}

// A descriptor that can't be mapped and is read as it comes; nullptr: a plain file.
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

// Reads perf's output to a pipe up to the first sample. Other recordings are needed as a whole:
// returns false, with the bytes read so far in `bytes`. Refuses anything else here, since it may
// never end.
Result<bool> begin_pipe(OneWay& pipe, const std::string& name, std::vector<std::uint8_t>& bytes) {
  bytes.resize(perf_format::kPipeHeader);
  for (std::size_t have = 0; have < bytes.size();) {
    const auto got = pipe.read(bytes.data() + have, bytes.size() - have);
    if (!got) return fail(got);
    have += *got;
    if (*got == 0) bytes.resize(have);
  }
  const auto header = perf_format::read_start(bytes, name);
  if (!header) return fail(header);
  return header->pipe ? read_prologue(pipe, header->order, bytes) : false;
}

std::string name_of(const std::string& path) { return path == "-" ? "standard input" : path; }

Error with_directory_hint(const std::string& path, Error error) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored) && error.hint.empty())
    error.hint = path + " is a directory; one that perf recorded into has the file 'data'";
  return error;
}

void read_traces(File& file, const TraceOptions& traces, perf_format::Warnings& warnings) {
  std::vector<spe::Records> streams;
  for (const Stream& stream : file.streams) streams.push_back({stream.bytes, stream.offset});
  file.undecoded_traces = spe::undecoded_traces(streams[0], file.header.order, file.features);
  file.trace =
      spe::read_trace(streams, file.header.order, file.features, traces, file.events, warnings);
}

}  // namespace

std::string File::main_path() const {
  std::error_code ignored;
  return fs::is_directory(source, ignored) ? source + "/data" : source;
}

// `bytes` are the file's mapping or prologue.
Result<File> File::parse(File file, Bytes bytes, std::shared_ptr<OneWay> more,
                         const TraceOptions& traces) {
  perf_format::Warnings warnings;
  auto header = perf_format::read_header(bytes, name_of(file.path), warnings);
  if (!header) return fail(header);
  file.header = *header;
  if (header->pipe) {
    file.streams.push_back(
        {bytes.subspan(perf_format::kPipeHeader), perf_format::kPipeHeader, {}, std::move(more)});
    read_pipe_records(file.streams[0], file, warnings);
  } else {
    perf_format::read_attrs(bytes, *header, file.events, warnings);
    perf_format::read_features(bytes, *header, file.features, warnings);
    file.streams.push_back({perf_format::section_of(bytes, header->data),
                            header->data.offset,
                            {},
                            nullptr,
                            !file.maps_.empty()});
    read_simpleperf_records(file.streams[0], file, warnings);
    perf_format::name_events(file.features, file.events);
    read_early_updates(file.streams[0], file, warnings);
  }
  std::error_code ignored;
  if (fs::is_directory(file.source, ignored))
    add_directory_streams(file.source, file, file.maps_, warnings);
  // `perf sched stats record` has the contents of /proc/schedstat, and no events.
  const bool is_of_scheduler = file.header.attrs.size == 0 && file.features.schedstat_version != 0;
  if (file.events.size() == 0 && !is_of_scheduler) warnings.add("file has no events");
  read_traces(file, traces, warnings);
  file.warnings = warnings.take();
  return file;
}

Result<File> File::of_map(Result<MappedFile> map, const std::string& path,
                          const std::string& source, const TraceOptions& traces) {
  if (!map) return fail(with_directory_hint(path, map.error()));
  File file;
  file.path = path;
  file.source = source;
  const Bytes bytes = map->bytes();
  file.maps_.push_back(std::move(*map));
  return parse(std::move(file), bytes, nullptr, traces);
}

Result<File> File::of_pipe(const std::shared_ptr<OneWay>& pipe, const std::string& path,
                           const TraceOptions& traces) {
  std::vector<std::uint8_t> begin;
  const auto flows = begin_pipe(*pipe, name_of(path), begin);
  if (!flows) return fail(flows);
  if (*flows) {
    File file;
    file.path = path;
    file.prologue_ = std::move(begin);
    const Bytes prologue = file.prologue_;
    auto flowing = parse(std::move(file), prologue, pipe, traces);
    // The last record may complete the first sample's callchain, and trace data at the end may
    // belong before it.
    if (!flowing || (!flowing->events.defer_callchains() && !flowing->trace)) return flowing;
    begin = std::move(flowing->prologue_);
  }
  return of_map(MappedFile::spool(begin, pipe->fd(), name_of(path)), path, {}, traces);
}

Result<File> File::of_bytes(std::vector<std::uint8_t> bytes, std::string name,
                            const TraceOptions& traces) {
  File file;
  file.path = std::move(name);
  file.prologue_ = std::move(bytes);
  const Bytes all = file.prologue_;
  return parse(std::move(file), all, nullptr, traces);
}

Result<File> File::of_descriptor(int fd, std::string name, const TraceOptions& traces) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return fail(Errc::io, std::strerror(errno), std::move(name));
  if (S_ISREG(info.st_mode))
    return of_map(MappedFile::map(fd, static_cast<std::uint64_t>(info.st_size), name), name, {},
                  traces);
  const int own = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return fail(Errc::io, std::strerror(errno), std::move(name));
  return of_pipe(std::make_shared<OneWay>(own, true), name, traces);
}

Result<File> File::open(const std::string& path, const TraceOptions& traces) {
  if (const auto pipe = open_one_way(path)) return of_pipe(pipe, path, traces);
  std::error_code ignored;
  const bool is_directory = fs::is_directory(path, ignored);
  return of_map(MappedFile::open(is_directory ? path + "/data" : path), path,
                path == "-" ? std::string() : path, traces);
}

}  // namespace evname::stream
