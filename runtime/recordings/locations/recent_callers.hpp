#pragma once
// A cache by the callers of an instruction, which most samples share with an earlier sample.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/big_pages.hpp"
#include "evname/perf_data.hpp"

namespace evname::locations {

/// Keeps bytes for callers in a ring of kWords words of 8 bytes: later ones overwrite the oldest.
template <std::size_t kWords = std::size_t{1} << 20>
class RecentCallers {
  static_assert(std::has_single_bit(kWords) && kWords >= 64);

 public:
  RecentCallers() = default;
  /// A copy begins with nothing.
  RecentCallers(const RecentCallers&) {}
  RecentCallers& operator=(const RecentCallers&) = delete;

  /// The rest of the key: see LocationCache::whose().
  using Whose = std::array<std::uint64_t, 4>;

  /// Returns the bytes of these callers, valid until set(); nullopt if they are missing; set() may
  /// then add them.
  std::optional<std::string_view> find(const Whose& whose, std::span<const Address> callers) {
    if (!ring_) make_room();
    make_key(whose, callers);
    hash_ = hash();
    const std::span group(&slots_[hash_ >> 32 & (kSlots - kGroup)], kGroup);
    for (const Slot& slot : group) {
      if (slot.hash != hash_ || written_ - slot.at > kWords) continue;
      const std::uint64_t* const entry = &ring_[slot.at % kWords];
      if (entry[0] == key_.size() &&
          std::memcmp(entry + 2, key_.data(), key_.size() * sizeof key_[0]) == 0)
        return std::string_view(reinterpret_cast<const char*>(entry + 2 + key_.size()), entry[1]);
    }
    oldest_ = &*std::ranges::min_element(group, {}, &Slot::at);
    return std::nullopt;
  }

  /// Keeps bytes for the missing callers, unless they take more than a 64th of the ring.
  void set(std::string_view bytes) {
    const std::size_t size = 2 + key_.size() + (bytes.size() + 7) / 8;
    if (size > kWords / 64) return;
    if (const std::size_t end = kWords - written_ % kWords; size > end) written_ += end;
    std::uint64_t* const entry = &ring_[written_ % kWords];
    entry[0] = key_.size();
    entry[1] = bytes.size();
    std::memcpy(entry + 2, key_.data(), key_.size() * sizeof key_[0]);
    std::memcpy(entry + 2 + key_.size(), bytes.data(), bytes.size());
    *oldest_ = {hash_, written_};
    written_ += size;
  }

 private:
  /// Callers may be in any slot of a group.
  static constexpr std::size_t kSlots = kWords / 16, kGroup = 4;

  /// The position of an entry, which is two sizes, key and bytes, in all that was ever written.
  struct Slot {
    std::uint64_t hash = 0;
    std::uint64_t at = 0;
  };

  void make_room() {
    ring_.reset(BigPages<std::uint64_t>().allocate(kWords));  // the kernel adds pages as it fills
    slots_.resize(kSlots);
    written_ = 2 * kWords;  // so that slot 0 means overwritten
  }

  // All addresses, then a bit for each that is the kernel's.
  void make_key(const Whose& whose, std::span<const Address> callers) {
    const std::size_t addresses = whose.size(), masks = addresses + callers.size();
    key_.resize(masks + (callers.size() + 63) / 64);
    std::copy(whose.begin(), whose.end(), key_.begin());
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < callers.size(); ++i) {
      key_[addresses + i] = callers[i].value;
      mask |= std::uint64_t{callers[i].kernel} << i % 64;
      key_[masks + i / 64] = mask;
      if (i % 64 == 63) mask = 0;
    }
  }

  // Four sums at once, as each product waits for the one before it.
  std::uint64_t hash() const {
    std::array<std::uint64_t, 4> sums = {1, 2, 3, 4};
    const auto add = [](std::uint64_t& sum, std::uint64_t word) {
      sum = (sum ^ word) * 0x9e3779b97f4a7c15;
      sum ^= sum >> 29;
    };
    for (std::size_t i = 0; i < key_.size(); ++i) add(sums[i % sums.size()], key_[i]);
    for (const std::uint64_t sum : std::span(sums).subspan(1)) add(sums[0], sum);
    return sums[0];
  }

  struct Free {
    void operator()(std::uint64_t* ring) const {
      BigPages<std::uint64_t>().deallocate(ring, kWords);
    }
  };
  std::unique_ptr<std::uint64_t[], Free> ring_;
  std::uint64_t written_ = 0;
  std::vector<Slot> slots_;
  Slot* oldest_ = nullptr;  ///< of the group of the last key
  std::vector<std::uint64_t> key_;
  std::uint64_t hash_ = 0;
};

}  // namespace evname::locations
