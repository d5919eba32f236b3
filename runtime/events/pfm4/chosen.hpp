#pragma once
// An event whose text was parsed, on its way through the encoder of its layout.

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "events/pfm4/encode_name.hpp"

namespace evname::pfm4 {

struct Chosen {
  std::uint16_t at;     ///< index into the list of attributes
  std::uint64_t value;  ///< of a modifier, or the mask itself if that was given as a number
};

/// The attributes that were chosen, and the words that are made of them.
struct Work {
  static constexpr unsigned kLimit = 64;

  const Pmu& pmu;
  const Event& event;
  const AttributeList& list;
  std::uint8_t levels;
  Encoded& out;
  unsigned count = 0;
  Chosen chosen[kLimit + 1] = {};

  Attribute attribute(unsigned i) const {
    const auto all = list.all();
    return chosen[i].at < all.size() ? all[chosen[i].at]
                                     : Attribute{0, Attribute::Kind::raw_mask, false};
  }
  const Traits& traits() const { return dictionary().traits_of(event); }
  const Mask& mask(Attribute attribute) const {
    return dictionary().masks_of(event)[attribute.index];
  }
  const Traits& traits_of(Attribute attribute) const {
    return dictionary().traits_of(mask(attribute));
  }
  bool add(Chosen one) {
    if (count == kLimit) return false;
    chosen[count++] = one;
    return true;
  }
  void sort();

  /// Appends to the fully qualified text.
  void write(std::string_view text);
  void write_value(const char* name, std::uint64_t value) {
    if (!out.wants_text) return;
    char digits[48];
    const auto end = fmt::format_to_n(digits, sizeof digits, ":{}={}", name, value).out;
    write({digits, static_cast<std::size_t>(end - digits)});
  }
  /// Writes the event and its masks, in the order of the list.
  void write_event();
};

/// Returns a field of a register.
constexpr std::uint64_t field(std::uint64_t word, unsigned first, unsigned width) {
  return word >> first & ((std::uint64_t{1} << width) - 1);
}
constexpr void set_field(std::uint64_t& word, unsigned first, unsigned width, std::uint64_t value) {
  const std::uint64_t mask = ((std::uint64_t{1} << width) - 1) << first;
  word = (word & ~mask) | (value << first & mask);
}

Error encode_intel(Work& work);
Error encode_nehalem_uncore(Work& work);
Error encode_uncore(Work& work);
Error encode_netburst(Work& work);
Error encode_amd(Work& work);
Error encode_arm(Work& work);
Error encode_torrent(Work& work);
Error encode_mips(Work& work);
Error encode_generic(Work& work);
Error encode_plain(Work& work);

/// Sets type and config words of the attr from the PMU's codes.
Error fill_attr(Work& work, const Scope& scope);
/// Sets what the kernel's modifiers ask for.
Error apply_os_modifiers(Work& work, const Scope& scope);

}  // namespace evname::pfm4
