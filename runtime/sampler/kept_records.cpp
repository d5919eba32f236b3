#include "sampler/kept_records.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include <fmt/format.h>

namespace evname::sampler {
namespace {

constexpr std::size_t kKeptBuffer = std::size_t{256} << 10;

}  // namespace

KeptRecords::KeptRecords(sampling::OpenRecording& open, const Machine& machine,
                         const RecordOptions& options, std::size_t most, std::string_view traces)
    : open_(open), machine_(machine), options_(options), most_(most), traces_(traces) {
  buffer_.reserve(kKeptBuffer);
}

KeptRecords::File& KeptRecords::File::operator=(File&& other) noexcept {
  std::swap(fd, other.fd);
  std::swap(writer, other.writer);
  is_finished = other.is_finished;
  kept = other.kept;
  first = other.first;
  last = other.last;
  trace_places.swap(other.trace_places);
  return *this;
}

KeptRecords::File::~File() {
  if (fd >= 0) ::close(fd);
}

Result<void> KeptRecords::begin() {
  auto file = new_file();
  if (!file) return fail(std::move(file));
  file_ = std::move(*file);
  return {};
}

Result<KeptRecords::File> KeptRecords::new_file() {
  File file;
  file.fd = memfd_create("evname-samples", MFD_CLOEXEC);
  if (file.fd < 0)
    return fail(Errc::io, fmt::format("no memory for samples: {}", std::strerror(errno)));
  auto writer = sampling::RecordingWriter::create(file.fd, 0);
  if (!writer) return fail(std::move(writer));
  file.writer.emplace(std::move(*writer));
  const auto recorded = open_.recorded_events();
  if (auto done = file.writer->begin(recorded, {}); !done) return fail(std::move(done));
  if (auto done = file.writer->write_plain(traces_); !done) return fail(std::move(done));
  std::string existing;
  open_.existing_records(
      options_, [&](std::string_view record) { existing += record; }, nullptr, true,
      open_.samples_kernel());
  if (auto done = file.writer->write_records(existing); !done) return fail(std::move(done));
  return file;
}

bool KeptRecords::has_room_for(std::size_t size) {
  const bool fits = !file_.is_finished && file_.kept + size <= most_;
  if (fits)
    file_.kept += size;
  else
    ++left_out_;
  return fits;
}

void KeptRecords::add(Bytes record, std::optional<std::uint64_t> time) {
  if (!has_room_for(record.size())) return;
  if (time) {
    file_.first = std::min(file_.first, *time);
    file_.last = std::max(file_.last, *time);
  }
  buffer_.append(reinterpret_cast<const char*>(record.data()), record.size());
  constexpr std::size_t kLongest = std::size_t{1} << 16;
  if (buffer_.size() + kLongest > kKeptBuffer && !flush()) file_.kept = most_;
}

void KeptRecords::add_trace(const sampling::TraceSource& source,
                            const sampling::RingContent& piece) {
  const std::string record = sampling::trace_record(source, piece);
  if (!has_room_for(record.size() + piece.size())) return;
  file_.trace_places.push_back(file_.writer->size());
  if (file_.writer->write_trace(record, piece)) return;
  file_.trace_places.pop_back();
  file_.kept = most_;
}

Result<void> KeptRecords::flush() {
  if (auto done = file_.writer->write_records(buffer_); !done) return done;
  buffer_.clear();
  return file_.writer->end_round();
}

Result<void> KeptRecords::finish() {
  if (file_.is_finished) return {};
  std::vector<Encoding> events;
  for (const sampling::OpenEvent& event : open_.events) events.push_back(event.encoding);
  const auto features = sampling::features_of(
      machine_, options_,
      {open_.recorded_events(), events, file_.first, file_.last, file_.trace_places});
  if (auto done = flush(); !done) return done;
  auto done = file_.writer->finish(features);
  file_.is_finished = true;
  return done;
}

/// Makes the next file before giving this one away, so that a failure changes nothing.
Result<Recording> KeptRecords::take() {
  auto next = new_file();
  if (!next) return fail(std::move(next));
  if (auto done = finish(); !done) return fail(std::move(done));
  auto data = Recording::open(fmt::format("/proc/self/fd/{}", file_.fd), UserEvents::lay_over,
                              traces_.empty() ? TraceOptions::none() : TraceOptions());
  if (data) file_ = std::move(*next);
  return data;
}

}  // namespace evname::sampler
