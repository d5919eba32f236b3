#pragma once
// Sums by number and time, for samples that come mostly in order of time.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "base/big_pages.hpp"
#include "recordings/report/time_bins.hpp"

namespace evname::report {

/// The sums of numbered things, such as nodes, in each bin of time. The sums of the newest bin are
/// found by number; the sums of other bins follow each other, so that a sample takes no search. A
/// bin has several rows if its samples did not come together.
class TimeRows {
 public:
  struct Item {
    std::uint32_t number = 0, samples = 0;
    std::uint64_t period = 0;
  };
  /// Counts in the bins of `time`, which get wider until there are at most `bins` and `items`.
  TimeRows(const TimeBins& time, std::uint32_t bins, std::size_t items)
      : time_(time), most_bins_(bins), most_items_(items) {
    constexpr std::size_t kMuch = 1 << 23;
    if (items < kMuch) items_.reserve(items);  // memory comes as it fills
  }

  void begin_file() { time_.begin_file(); }
  const TimeBins& time() const { return time_; }
  std::size_t size() const { return items_.size() + open_.size(); }

  /// Adds to a bin.
  void add(std::uint32_t bin, std::uint32_t number, std::uint64_t samples, std::uint64_t period) {
    if (bin == 0) {
      sum_of(untimed_, number) += {samples, period};
      return;
    }
    if (bin != bin_) close();
    bin_ = bin;
    add_open(number, {samples, period});
  }
  /// Returns the bin of a time.
  std::uint32_t bin_of(std::uint64_t time) {
    if (const unsigned times = time_.doublings(time); times > 0) widen(times);
    std::uint32_t bin = time_.of(time);
    for (; time_.last() > most_bins_ || (size() > most_items_ && time_.last() > 1); widen(1))
      bin = TimeBins::wider(bin, 1);
    return bin;
  }
  /// Makes bins twice as wide, that often.
  void widen(unsigned times) {
    time_.widen(times);
    rewrite([&](std::uint32_t bin) { return TimeBins::wider(bin, times); },
            [](std::uint32_t number) { return number; });
  }
  /// Changes numbers.
  template <class Renumber>
  void renumber(Renumber&& renumber) {
    rewrite([](std::uint32_t bin) { return bin; }, renumber);
    std::vector<Sum> before = std::exchange(untimed_, {});
    for (std::uint32_t number = 0; number < before.size(); ++number)
      if (before[number].samples > 0) sum_of(untimed_, renumber(number)) += before[number];
  }
  /// Calls use(bin, item) for each item.
  template <class Use>
  void for_each(Use&& use) const {
    for (std::uint32_t number = 0; number < untimed_.size(); ++number)
      write(number, untimed_[number], [&](const Item& item) { use(0, item); });
    for (std::size_t i = 0; i < rows_.size(); ++i)
      for (std::size_t at = rows_[i].begin; at < end_of(i); ++at) use(rows_[i].bin, items_[at]);
    for (const std::uint32_t number : open_)
      write(number, sums_[number], [&](const Item& item) { use(bin_, item); });
  }

 private:
  struct Row {
    std::uint32_t bin;
    std::size_t begin;  ///< in items_
  };
  struct Sum {
    std::uint64_t samples = 0, period = 0;
    void operator+=(const Sum& other) { samples += other.samples, period += other.period; }
  };

  static Sum& sum_of(std::vector<Sum>& sums, std::uint32_t number) {
    if (number >= sums.size()) sums.resize(std::max(number + std::size_t{1}, sums.size() * 2));
    return sums[number];
  }
  std::size_t end_of(std::size_t row) const {
    return row + 1 < rows_.size() ? rows_[row + 1].begin : items_.size();
  }
  /// Makes a row of the newest bin.
  void close() {
    if (open_.empty()) return;
    rows_.push_back({bin_, items_.size()});
    write_open([&](const Item& item) { items_.push_back(item); });
  }
  template <class Write>
  void write_open(Write&& write_item) {
    for (const std::uint32_t number : open_)
      write(number, std::exchange(sums_[number], {}), write_item);
    open_.clear();
  }
  template <class Write>
  static void write(std::uint32_t number, Sum sum, Write&& write_item) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    for (; sum.samples > 0; sum.period = 0) {
      const std::uint64_t samples = std::min(sum.samples, kMost);
      write_item(Item{number, static_cast<std::uint32_t>(samples), sum.period});
      sum.samples -= samples;
    }
  }
  /// Changes bins and numbers. Neighbours that then have the same bin become one row, which has no
  /// more items than they had.
  template <class BinOf, class NumberOf>
  void rewrite(BinOf&& bin_of, NumberOf&& number_of) {
    close();
    std::size_t kept = 0, rows = 0;
    const auto keep = [&](const Item& item) { items_[kept++] = item; };
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const std::uint32_t bin = bin_of(rows_[i].bin);
      for (std::size_t at = rows_[i].begin; at < end_of(i); ++at)
        add_open(number_of(items_[at].number), {items_[at].samples, items_[at].period});
      if (i + 1 < rows_.size() && bin_of(rows_[i + 1].bin) == bin) continue;
      const std::size_t begin = kept;
      write_open(keep);
      rows_[rows++] = {bin, begin};
    }
    rows_.resize(rows);
    items_.resize(kept);
    bin_ = 0;
  }
  void add_open(std::uint32_t number, const Sum& added) {
    Sum& sum = sum_of(sums_, number);
    if (sum.samples == 0) open_.push_back(number);
    sum += added;
  }

  TimeBins time_;
  std::uint32_t most_bins_;
  std::size_t most_items_;
  std::vector<Row> rows_;
  std::vector<Item, BigPages<Item>> items_;
  std::uint32_t bin_ = 0;            ///< the newest one
  std::vector<Sum> sums_;            ///< of it, by number
  std::vector<std::uint32_t> open_;  ///< the numbers that have sums
  std::vector<Sum> untimed_;         ///< of samples without a time, by number
};

}  // namespace evname::report
