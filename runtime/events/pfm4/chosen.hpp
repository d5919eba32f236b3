#pragma once
// An event whose text was parsed, on its way through the encoder of its layout.

#include <bit>
#include <cstdint>
#include <span>
#include <string_view>

#include "events/pfm4/encode_name.hpp"
#include "events/pfm4/known_modifiers.hpp"

namespace evname::pfm4 {

/// Returns the bits of the modifiers of the PMU's layout that an event takes.
std::uint32_t own_modifiers(const Pmu& pmu, const Event& event, Os os);
/// Returns the bits of the kernel's modifiers that an event takes.
std::uint32_t os_modifiers(const Pmu& pmu, const Event& event, Os os, std::uint8_t levels);

struct Chosen {
  Attribute attribute;
  std::uint64_t value;  ///< of a modifier, or the mask itself if it was given as a number

  /// Returns a key that sorts attributes in the order of libpfm4's list.
  std::uint32_t place() const {
    const bool is_mask = attribute.kind == Attribute::Kind::mask;
    const unsigned part = attribute.kind == Attribute::Kind::raw_mask ? 3
                          : attribute.of_os                           ? 2
                          : is_mask                                   ? 0
                                                                      : 1;
    return part << 16 | attribute.index;
  }
};

/// The chosen attributes, and the words made from them.
struct Work {
  static constexpr unsigned kLimit = 64;

  Work(const Pmu& of, const Event& one, Os interface, std::uint8_t wanted, Encoded& result)
      : pmu(of),
        event(one),
        event_traits(dictionary().traits_of(one)),
        own(own_modifiers(of, one, interface)),
        os(interface),
        levels(wanted),
        out(result) {}

  const Pmu& pmu;
  const Event& event;
  const Traits& event_traits;
  std::uint32_t own;  ///< bits of the layout's modifiers that the event takes
  Os os;
  std::uint8_t levels;
  Encoded& out;
  unsigned count = 0;
  Chosen chosen[kLimit];  ///< as many as `count` are set

  Attribute attribute(unsigned i) const { return chosen[i].attribute; }
  const Traits& traits() const { return event_traits; }
  std::span<const Mask> masks() const { return dictionary().masks_of(event); }
  const Mask& mask(Attribute attribute) const { return masks()[attribute.index]; }
  const Traits& traits_of(const Mask& mask) const { return dictionary().traits_of(mask); }
  /// Returns true if the PMU has a mask of the event.
  bool has_mask(const Mask& mask) const {
    return (event.flags & kHasOthersMask) == 0 || has(pmu, traits_of(mask));
  }
  const Traits& traits_of(Attribute attribute) const { return traits_of(mask(attribute)); }
  bool add(Chosen one) {
    if (count == kLimit) return false;
    chosen[count++] = one;
    return true;
  }
  bool add_mask(std::size_t index) {
    return add({{static_cast<std::uint16_t>(index), Attribute::Kind::mask, false}, 0});
  }
  void sort();

  /// Appends to the fully qualified text.
  void write(std::string_view text);
  /// Appends ":NAME=VALUE".
  void write_value(const char* name, std::uint64_t value);
  void write_hex(std::string_view before, std::uint64_t value);
  void write_number(std::uint64_t value, int base);
  void write_name();
  /// Writes the event and its masks, in the order of the list.
  void write_event();
  /// Writes the event's modifiers of its layout; value_of(index) returns the value of one.
  template <class Modifiers, class ValueOf>
  void write_own(const Modifiers& known, ValueOf&& value_of) {
    if (!out.wants_text) return;
    for (std::uint32_t bits = own; bits != 0; bits &= bits - 1) {
      const auto index = static_cast<unsigned>(std::countr_zero(bits));
      write_value(known[index].name, value_of(index));
    }
  }
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
/// Sets the bits of the kernel's modifiers.
Error apply_os_modifiers(Work& work, const Scope& scope);

}  // namespace evname::pfm4
