#include "sampler/live_samples.hpp"

#include <unistd.h>

#include <ctime>

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

}  // namespace evname::sampler
