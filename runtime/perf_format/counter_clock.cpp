#include "perf_format/counter_clock.hpp"

namespace evname::perf_format {

// tsc_to_perf_time and perf_time_to_tsc of tools/perf/util/tsc.c.

CounterClock::CounterClock(Bytes body, std::endian order) {
  Cursor in(body, order);
  const std::uint64_t shift = in.u64(), factor = in.u64(), zero = in.u64();
  if (!in.ok() || shift >= 64 || factor == 0) return;
  is_missing_ = false;
  shift_ = shift;
  factor_ = factor;
  zero_ = zero;
  const std::uint64_t base = in.u64(), mask = in.u64();
  in.skip(1);
  const bool is_short = in.u8() != 0;
  if (!in.ok() || !is_short) return;
  base_ = base;
  mask_ = mask;
}

std::uint64_t CounterClock::time_of(std::uint64_t count) const {
  count = base_ + ((count - base_) & mask_);
  const std::uint64_t rest = count & ((std::uint64_t{1} << shift_) - 1);
  return zero_ + (count >> shift_) * factor_ + (rest * factor_ >> shift_);
}

std::uint64_t CounterClock::count_of(std::uint64_t time) const {
  const std::uint64_t since = time - zero_;
  return (since / factor_ << shift_) + (since % factor_ << shift_) / factor_;
}

// The last count of this ns.
std::uint64_t CounterClock::last_count_of(std::uint64_t time) const {
  const std::uint64_t until = time - zero_ + 1;
  const std::uint64_t rest = until % factor_ << shift_;
  return (until / factor_ << shift_) + rest / factor_ + (rest % factor_ != 0) - 1;
}

}  // namespace evname::perf_format
