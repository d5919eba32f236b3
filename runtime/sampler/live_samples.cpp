#include "sampler/live_samples.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "evname/perf_data.hpp"
#include "sampling/tracing_files.hpp"

namespace evname::sampler {

using perfdata::kRecordSample;

LiveSamples::LiveSamples(const perfdata::Events& events, std::span<sampling::Ring> rings,
                         std::optional<int> clock)
    : RecordContents(events, std::endian::native, {}, true),
      merge_(rings, events),
      clock_(clock),
      opened_by_(static_cast<int>(getpid())) {}

void LiveSamples::read_made(std::string_view record) {
  perfdata::read_record(reinterpret_cast<const std::uint8_t*>(record.data()), order_,
                        sample_.record);
  (void)read_other();
}

/// Records until now are read, so that those of one CPU do not overtake those of another.
bool LiveSamples::begin() {
  if (static_cast<int>(getpid()) != opened_by_) return false;
  std::uint64_t limit = UINT64_MAX;
  if (timespec now{}; clock_ && clock_gettime(*clock_, &now) == 0)
    limit = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
            static_cast<std::uint64_t>(now.tv_nsec);
  merge_.begin(limit);
  return true;
}

bool LiveSamples::next_sample() {
  is_first_ = false;
  if (!values_.empty() && next_value()) return true;
  is_first_ = true;
  if (!began_ && !(began_ = begin())) return false;
  while (merge_.next(sample_.record, event_))
    if (take()) return true;
  began_ = false;
  return false;
}

/// Reads the record at hand. Returns true if it is a sample to hand out.
bool LiveSamples::take() {
  const Bytes bytes = sample_.record.bytes;
  counts_.add(sample_.record.type);
  is_sample_ = sample_.record.type == kRecordSample;
  const bool is_good = is_sample_ ? read_sample(false) : read_other();
  if (kept_ != nullptr && (is_good || !is_sample_))
    kept_->add(bytes, is_sample_ ? std::optional(sample_.time) : std::nullopt);
  return is_sample_ && is_good;
}

namespace {

constexpr std::size_t kKeptBuffer = std::size_t{256} << 10;

}  // namespace

bool samples_kernel(const sampling::OpenRecording& open) {
  return std::ranges::any_of(open.events, [](const sampling::OpenEvent& event) {
    return !perfdata::decode_attr(event.attr, std::endian::native).has(perfdata::kExcludeKernel);
  });
}

KeptRecords::KeptRecords(sampling::OpenRecording& open, const Machine& machine,
                         const RecordOptions& options, std::size_t most)
    : open_(open), machine_(machine), options_(options), most_(most) {
  buffer_.reserve(kKeptBuffer);
}

KeptRecords::File& KeptRecords::File::operator=(File&& other) noexcept {
  std::swap(fd, other.fd);
  std::swap(writer, other.writer);
  is_finished = other.is_finished;
  kept = other.kept;
  first = other.first;
  last = other.last;
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
  std::string existing;
  open_.existing_records(options_, samples_kernel(open_),
                         [&](std::string_view record) { existing += record; });
  if (auto done = file.writer->write_records(existing); !done) return fail(std::move(done));
  return file;
}

void KeptRecords::add(Bytes record, std::optional<std::uint64_t> time) {
  if (file_.is_finished || file_.kept + record.size() > most_) {
    ++left_out_;
    return;
  }
  file_.kept += record.size();
  if (time) {
    file_.first = std::min(file_.first, *time);
    file_.last = std::max(file_.last, *time);
  }
  buffer_.append(reinterpret_cast<const char*>(record.data()), record.size());
  constexpr std::size_t kLongest = std::size_t{1} << 16;
  if (buffer_.size() + kLongest > kKeptBuffer && !flush()) file_.kept = most_;
}

Result<void> KeptRecords::flush() {
  if (auto done = file_.writer->write_records(buffer_); !done) return done;
  buffer_.clear();
  return file_.writer->end_round();
}

Result<void> KeptRecords::finish() {
  if (file_.is_finished) return {};
  const auto recorded = open_.recorded_events();
  std::vector<Encoding> events;
  for (const sampling::OpenEvent& event : open_.events) events.push_back(event.encoding);
  auto features = sampling::features_of(machine_, options_,
                                        {recorded, file_.first == UINT64_MAX ? 0 : file_.first,
                                         file_.last, sampling::RecordingWriter::kLargestPiece});
  if (auto formats = sampling::tracing_data_of(events, options_.roots); !formats.empty())
    features[sampling::kTracingData] = std::move(formats);
  if (auto done = flush(); !done) return done;
  auto done = file_.writer->finish(features);
  file_.is_finished = true;
  return done;
}

/// The next file is there before this one is given away, so that a failure changes nothing.
Result<PerfData> KeptRecords::take() {
  auto next = new_file();
  if (!next) return fail(std::move(next));
  if (auto done = finish(); !done) return fail(std::move(done));
  auto data = PerfData::open(fmt::format("/proc/self/fd/{}", file_.fd));
  if (data) file_ = std::move(*next);
  return data;
}

}  // namespace evname::sampler
