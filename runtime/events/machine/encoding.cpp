// Implements Encoding, and fills a perf_event_attr of any size. Layout: struct perf_event_attr of
// include/uapi/linux/perf_event.h, PERF_ATTR_SIZE_VER0 and later.

#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>

#include "base/enum_table.hpp"
#include "events/machine/encoding_access.hpp"
#include "events/syntax/modifiers.hpp"
#include "evname/attr.hpp"
#include "evname/encoding.hpp"

namespace evname::machine {

bool is_same_event(const Encoding& a, const Encoding& b) {
  return words_of(a.code) == words_of(b.code) && a.modifiers == b.modifiers && a.bits == b.bits;
}

}  // namespace evname::machine

namespace evname {
namespace {

constexpr std::size_t kFirstSize = 64;  // PERF_ATTR_SIZE_VER0
constexpr std::size_t kTypeAt = 0, kSizeAt = 4, kFlagsAt = 40, kBpTypeAt = 52, kAuxActionAt = 116;

struct Word {
  const char* name;
  std::size_t at;
};
constexpr Word kWords[EVNAME_CONFIG_WORDS] = {
    {"config", 8}, {"config1", 56}, {"config2", 64}, {"config3", 128}, {"config4", 136}};

/// Compilers put the first bit field of a word at its lowest bit, or at its highest on big-endian
/// machines.
std::uint64_t field_bits(std::uint64_t value, unsigned bit, unsigned width) {
  return value << (std::endian::native == std::endian::little ? bit : 64 - bit - width);
}

std::uint64_t flags_of(const AttrBits& bits) {
  std::uint64_t flags = field_bits(bits.precise_ip & 3, perf_format::kPreciseIp, 2);
#define EVNAME_ATTR_BIT(name, NAME, Name, flag) \
  if (bits.name) flags |= field_bits(1, perf_format::k##Name, 1);
#include "evname/attr_bits.def"
  return flags;
}

template <class T>
void put(T value, std::uint8_t* attr, std::size_t at) {
  std::memcpy(attr + at, &value, sizeof value);
}

template <class T>
T get(const std::uint8_t* attr, std::size_t at) {
  T value;
  std::memcpy(&value, attr + at, sizeof value);
  return value;
}

Result<void> check(const Encoding& event, std::size_t size) {
  if (size < kFirstSize) return fail(Errc::out_of_range, "a perf_event_attr has at least 64 bytes");
  if (!event.code.has_type)
    return fail(Errc::not_found, "the type of this PMU is only known on the machine itself");
  for (std::size_t i = 0; i < std::size(kWords); ++i)
    if (event.code.config[i] != 0 && kWords[i].at + 8 > size)
      return fail(Errc::out_of_range,
                  std::string("this perf_event_attr is too old to have ") + kWords[i].name);
  if (event.aux_action != 0 && kAuxActionAt + 4 > size)
    return fail(Errc::out_of_range, "this perf_event_attr is too old to have aux_action");
  return {};
}

}  // namespace

const char* to_string(MatchedBy matched_by) {
  using enum MatchedBy;
  constexpr auto kWords = enum_values<MatchedBy>({{none, "none"},
                                                  {cpuid, "cpuid"},
                                                  {name, "name"},
                                                  {caps, "caps"},
                                                  {architecture, "architecture"}});
  return word_of(kWords, matched_by);
}

const char* to_string(Source source) {
  using enum Source;
  constexpr auto kWords =
      enum_values<Source>({{table, "table"}, {sysfs, "sysfs"}, {kernel, "kernel"}, {raw, "raw"}});
  return word_of(kWords, source);
}

// If it were defaulted in the class, making an Encoding would first fill it with zeros.
Encoding::Encoding() = default;

std::string_view Encoding::text() const {
  return texts_ == nullptr || texts_->text.empty() ? name : texts_->text;
}

std::string Encoding::written() const {
  if (has_given_name()) return std::string(name);
  return texts_ == nullptr || texts_->written.empty()
             ? syntax::with_modifiers(name, modifiers)
             : syntax::with_modifiers(texts_->written, texts_->written_modifiers);
}

bool Encoding::has_given_name() const { return texts_ != nullptr && texts_->has_given_name; }

std::string Encoding::terms() const {
  const bool own = texts_ != nullptr || event_ == nullptr;
  return own ? std::string(terms_) : tables::terms_text(*arch_, *event_);
}

std::string_view Encoding::desc() const {
  return event_ != nullptr ? arch_->text(event_->desc) : std::string_view();
}

std::string_view Encoding::directory() const {
  return event_ != nullptr ? arch_->directory : std::string_view();
}

std::span<const std::string> Encoding::warnings() const {
  if (texts_ == nullptr) return {};
  return texts_->warnings;
}

Result<void> fill_attr(const Encoding& event, void* attr, std::size_t size) {
  if (auto fits = check(event, size); !fits) return fits;
  auto* const out = static_cast<std::uint8_t*>(attr);
  put(event.code.type, out, kTypeAt);
  if (get<std::uint32_t>(out, kSizeAt) == 0) put(static_cast<std::uint32_t>(size), out, kSizeAt);
  put(get<std::uint64_t>(out, kFlagsAt) | flags_of(event.bits), out, kFlagsAt);
  put(event.bp_type, out, kBpTypeAt);
  if (event.aux_action != 0) put(event.aux_action, out, kAuxActionAt);
  for (std::size_t i = 0; i < std::size(kWords); ++i)
    if (kWords[i].at + 8 <= size) put(event.code.config[i], out, kWords[i].at);
  return {};
}

}  // namespace evname
