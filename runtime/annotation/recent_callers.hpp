#pragma once
// What was made of the callers of an instruction: most samples have the same ones as an earlier
// sample.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "evname/perf_data.hpp"

namespace evname::annotation {

/// What a value takes beside itself.
inline std::size_t bytes_beside(const std::string& text) { return text.capacity(); }
inline std::size_t bytes_beside(std::uint32_t) { return 0; }

/// Values by callers, at most 2^kBits. Later ones push out earlier ones; when they take too much,
/// all are forgotten.
template <class Value, unsigned kBits>
class RecentCallers {
 public:
  /// What else the value depends on: process, what is mapped, and so on.
  using Whose = std::array<std::uint64_t, 3>;

  /// The value of these callers; nullptr: it is not there, and one can be set().
  Value* find(const Whose& whose, std::span<const CodeAddress> callers) {
    if (slots_.empty() || bytes_ > kMostBytes) forget();
    std::uint64_t hash = 0;
    for (const std::uint64_t word : whose) hash = mix(hash, word);
    for (const CodeAddress& caller : callers) hash = mix(hash, caller.address + caller.kernel);
    found_ = &slots_[hash >> 32 & (kSlots - 1)];
    const bool is_there = found_->is_set && found_->hash == hash && found_->whose == whose &&
                          std::equal(callers.begin(), callers.end(), found_->callers.begin(),
                                     found_->callers.end(), is_same);
    if (is_there) return &found_->value;
    bytes_ -= bytes_of(*found_);
    found_->is_set = false;
    found_->hash = hash;
    found_->whose = whose;
    found_->callers.assign(callers.begin(), callers.end());
    bytes_ += bytes_of(*found_);
    return nullptr;
  }
  /// Keeps the value of the callers that were not there.
  template <class Kept>
  void set(Kept&& value) {
    bytes_ -= bytes_of(*found_);
    found_->value = std::forward<Kept>(value);
    found_->is_set = true;
    bytes_ += bytes_of(*found_);
  }

 private:
  static constexpr std::size_t kSlots = std::size_t{1} << kBits;
  static constexpr std::size_t kMostBytes = std::size_t{8} << 20;  // beside the slots

  struct Slot {
    std::uint64_t hash = 0;
    bool is_set = false;
    Whose whose = {};
    std::vector<CodeAddress> callers;
    Value value = {};
  };

  static std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
  }
  static bool is_same(const CodeAddress& a, const CodeAddress& b) {
    return a.address == b.address && a.kernel == b.kernel;
  }

  static std::size_t bytes_of(const Slot& slot) {
    return slot.callers.capacity() * sizeof(CodeAddress) + bytes_beside(slot.value);
  }

  // New slots: what an emptied one had room for would stay with it.
  void forget() {
    slots_ = std::vector<Slot>(kSlots);
    bytes_ = kSlots * bytes_of(slots_[0]);
  }

  std::vector<Slot> slots_;
  Slot* found_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace evname::annotation
