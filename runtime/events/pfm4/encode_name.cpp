#include "events/pfm4/encode_name.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <iterator>

#include "base/letters.hpp"
#include "events/pfm4/chosen.hpp"

namespace evname::pfm4 {
namespace {

/// Returns what follows the first bytes of a text.
std::string_view after(std::string_view text, std::size_t size) {
  return {text.data() + size, text.size() - size};
}

/// Reads a number as strtoull() with base 0 does.
bool read_c_number(std::string_view text, std::uint64_t& value) {
  const bool hex = text.size() > 2 && starts_ignoring_case(text, "0x");
  const unsigned base = hex ? 16 : text.size() > 1 && text[0] == '0' ? 8 : 10;
  value = 0;
  if (hex) text.remove_prefix(2);
  for (const char letter : text) {
    const unsigned digit = digit_value(letter);
    if (digit >= base) return false;
    value = value > (UINT64_MAX - digit) / base ? UINT64_MAX : value * base + digit;
  }
  return true;
}

/// Removes the first piece of a text, and returns it; the text has no data() after the last.
std::string_view take_piece(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_of(":."), text.size());
  const std::string_view piece(text.data(), end);
  text = end == text.size() ? std::string_view() : after(text, end + 1);
  return piece;
}

bool read_truth(std::string_view text, std::uint64_t& value) {
  if (text.size() != 1) return false;
  const char letter = text[0];
  value = letter == 'y' || letter == 'Y' || letter == 't' || letter == 'T' || letter == '1';
  return value == 1 || std::strchr("nNfF0", letter) != nullptr;
}

/// The masks of an event found in one text.
struct SeenMasks {
  bool named = false, raw = false;
};

/// `levels` come from the scope.
Error parse_attributes(Work& work, std::string_view text, std::uint8_t levels, unsigned depth);

Error parse_raw_mask(Work& work, std::string_view word, bool has_value, SeenMasks& seen) {
  if (seen.named || seen.raw || (work.pmu.flags & kRawMasks) == 0) return Error::attribute;
  std::uint64_t value = 0;
  if (!read_c_number(word, value)) return Error::attribute;
  seen.raw = true;
  if (has_value) return Error::attribute_value;
  return work.add({{0, Attribute::Kind::raw_mask, false}, value}) ? Error::none : Error::too_many;
}

/// Returns the index of the event's mask of that name; -1: the PMU has none.
int find_mask(const Work& work, std::string_view name) {
  const auto hash = static_cast<std::uint16_t>(name_hash(name) >> 16);
  const auto masks = work.masks();
  for (std::size_t i = 0; i < masks.size(); ++i)
    if (masks[i].hash == hash && equal_ignoring_case(dictionary().text(masks[i].name), name) &&
        work.has_mask(masks[i]))
      return static_cast<int>(i);
  return -1;
}

/// Finds a modifier; the layout's come before the kernel's.
bool find_modifier(const Work& work, std::string_view name, std::uint8_t levels, Attribute& out) {
  const std::uint64_t key = modifier_key(name);
  if (key == 0) return false;
  const auto known = modifiers_of(work.pmu.layout);
  const auto found = [&](const Modifier& modifier, std::size_t index, bool of_os) {
    out = {static_cast<std::uint16_t>(index),
           modifier.is_number ? Attribute::Kind::number : Attribute::Kind::boolean, of_os};
    return true;
  };
  for (std::uint32_t bits = work.own; bits != 0; bits &= bits - 1) {
    const auto index = static_cast<unsigned>(std::countr_zero(bits));
    if (known[index].key == key) return found(known[index], index, false);
  }
  if (work.os == Os::none) return false;
  for (const auto& [modifier, row] : kOsModifiers) {
    const auto index = static_cast<std::size_t>(modifier);
    if (row.key == key && (os_modifiers(work.pmu, work.event, work.os, levels) >> index & 1) != 0)
      return found(row, index, true);
  }
  return false;
}

Error add_mask(Work& work, int index, SeenMasks& seen, std::uint8_t levels, unsigned depth) {
  seen.named = true;
  if (seen.raw) return Error::attribute;
  const Mask& mask = work.masks()[static_cast<std::size_t>(index)];
  if (const Text alias = work.traits_of(mask).alias; alias != 0)
    return parse_attributes(work, dictionary().text(alias), levels, depth + 1);
  return work.add_mask(static_cast<std::size_t>(index)) ? Error::none : Error::too_many;
}

Error parse_attribute(Work& work, std::string_view piece, SeenMasks& seen, std::uint8_t levels,
                      unsigned depth) {
  const std::size_t equals = piece.find('=');
  const bool has_value = equals != piece.npos;
  const std::string_view word(piece.data(), has_value ? equals : piece.size());
  const std::string_view value = has_value ? after(piece, equals + 1) : std::string_view();
  if (starts_ignoring_case(word, "0x")) return parse_raw_mask(work, word, has_value, seen);
  // With a value it is a modifier, also if a mask has its name.
  if (const int mask = has_value ? -1 : find_mask(work, word); mask >= 0)
    return add_mask(work, mask, seen, levels, depth);
  Chosen one{{}, 1};
  if (!find_modifier(work, word, levels, one.attribute)) return Error::attribute;
  if (one.attribute.kind == Attribute::Kind::boolean) {
    if (has_value && !read_truth(value, one.value)) return Error::attribute_value;
  } else if (!has_value || value.empty() || !read_c_number(value, one.value)) {
    return Error::attribute_value;
  }
  return work.add(one) ? Error::none : Error::too_many;
}

/// Parses the text after an event's name and its delimiter.
Error parse_attributes(Work& work, std::string_view text, std::uint8_t levels, unsigned depth) {
  constexpr unsigned kDeepest = 8;  // aliases of aliases
  if (depth > kDeepest) return Error::invalid;
  SeenMasks seen;
  while (text.data() != nullptr) {
    const std::string_view piece = take_piece(text);
    if (const Error error = parse_attribute(work, piece, seen, levels, depth); error != Error::none)
      return error;
  }
  return Error::none;
}

/// Drops duplicates; two values of one modifier are an error.
Error drop_repeated(Work& work) {
  if (work.count < 2) return Error::none;
  for (unsigned i = 0; i < work.count; ++i)
    for (unsigned j = i + 1; j < work.count; ++j) {
      if (work.chosen[i].place() != work.chosen[j].place()) continue;
      if (work.chosen[i].value != work.chosen[j].value) return Error::attribute_set;
      std::copy(work.chosen + j + 1, work.chosen + work.count, work.chosen + j);
      --work.count;
      --j;
    }
  return Error::none;
}

bool is_raw_event(std::string_view name, std::uint64_t& code) {
  if (name.size() < 2 || name[0] != 'r') return false;
  code = 0;
  for (const char letter : after(name, 1)) {
    const unsigned digit = digit_value(letter);
    if (digit > 15 || code >> 60 != 0) return false;
    code = code << 4 | digit;
  }
  return code != UINT64_MAX;
}

/// A parsed text, and its event.
struct Found {
  const Pmu* pmu = nullptr;
  int event = -1;
  std::string_view rest;  ///< the rest after the name; without data() if there is none
};

/// An event's name with its hash.
struct EventName {
  std::string_view text;
  std::uint32_t hash;
};

bool find_on(const Pmu& pmu, const EventName& name, Encoded& out, int& event) {
  if (pmu.layout == Layout::raw) {
    event = 0;
    out.count = 1;
    return is_raw_event(name.text, out.codes[0]);
  }
  event = find_event(pmu, name.text, name.hash);
  return event >= 0;
}

/// Returns true if a PMU of Scope::active is one of the machine.
bool is_there(const Scope& scope, const Pmu& pmu) {
  return (pmu.flags & (kNeedsSysfs | kLive)) == 0 || scope.is_there == nullptr ||
         scope.is_there(pmu);
}

/// Returns true if the scope has a PMU of this name.
bool has_pmu(const Scope& scope, const Pmu& pmu) {
  if (scope.any_named) return true;
  const auto index = static_cast<std::uint16_t>(&pmu - dictionary().pmus.data());
  const auto& listed = scope.named.empty() ? scope.active : scope.named;
  return std::find(listed.begin(), listed.end(), index) != listed.end() &&
         (!scope.named.empty() || is_there(scope, pmu));
}

Error find_named_event(const Scope& scope, std::string_view text, Encoded& out, Found& found) {
  if (text.find_first_of(", \t\n") != text.npos) return Error::invalid;
  const std::size_t colons = text.find("::");
  found.rest = colons == text.npos ? text : after(text, colons + 2);
  if (found.rest.data() == nullptr) return Error::not_found;
  const std::string_view event = take_piece(found.rest);
  const EventName name{event, name_hash(event)};
  const auto tried = [&](const Pmu& pmu) {
    found.pmu = &pmu;
    return find_on(pmu, name, out, found.event);
  };
  if (colons != text.npos) {
    const Pmu* pmu = find_pmu({text.data(), colons});
    return pmu != nullptr && has_pmu(scope, *pmu) && tried(*pmu) ? Error::none : Error::not_found;
  }
  for (const std::uint16_t index : scope.active) {
    const Pmu& pmu = dictionary().pmus[index];
    if ((pmu.flags & kDeprecated) == 0 && tried(pmu) && is_there(scope, pmu)) return Error::none;
  }
  return Error::not_found;
}

Error encode_words(Work& work) {
  switch (work.pmu.layout) {
    case Layout::intel:
      return encode_intel(work);
    case Layout::nehalem_uncore:
      return encode_nehalem_uncore(work);
    case Layout::uncore:
      return encode_uncore(work);
    case Layout::netburst:
      return encode_netburst(work);
    case Layout::amd:
      return encode_amd(work);
    case Layout::arm:
      return encode_arm(work);
    case Layout::torrent:
      return encode_torrent(work);
    case Layout::mips:
      return encode_mips(work);
    case Layout::generic:
      return encode_generic(work);
    case Layout::arm_uncore:
    case Layout::plain:
    case Layout::raw:
      break;
  }
  return encode_plain(work);
}

/// Parses the attributes of the event's expansion, then of the event, and passes them on.
template <class Next>
Error with_attributes(const Found& found, const Scope& scope, std::uint8_t levels, Os os,
                      Encoded& out, Next&& next) {
  static constexpr Event kRawEvent{};
  const Dictionary names = dictionary();
  const Pmu& pmu = *found.pmu;
  const bool is_raw = pmu.layout == Layout::raw;
  int index = found.event;
  std::string_view alias_rest;
  if (!is_raw) {
    const Text of_event = names.traits_of(names.events_of(pmu)[index]).alias;
    if (of_event != 0) {
      std::string_view alias = names.text(of_event);
      index = find_event(pmu, take_piece(alias));
      if (index < 0) return Error::not_found;
      alias_rest = alias;
    }
  }
  const Event& event = is_raw ? kRawEvent : names.events_of(pmu)[index];
  Work work(pmu, event, os, levels, out);
  out.pmu = &pmu;
  out.event = static_cast<unsigned>(index);
  Error error = Error::none;
  if (alias_rest.data() != nullptr) {
    error = parse_attributes(work, alias_rest, scope.levels, 0);
    if (error == Error::none) error = drop_repeated(work);
  }
  if (error == Error::none) error = parse_attributes(work, found.rest, scope.levels, 0);
  if (error == Error::none) error = drop_repeated(work);
  return error == Error::none ? next(work) : error;
}

}  // namespace

void Work::sort() {
  // There are few, mostly one.
  for (unsigned i = 1; i < count; ++i)
    for (unsigned j = i; j > 0 && chosen[j].place() < chosen[j - 1].place(); --j)
      std::swap(chosen[j], chosen[j - 1]);
}

void Work::write(std::string_view text) {
  if (!out.wants_text) return;
  const std::size_t size = std::min(text.size(), sizeof out.text - 1 - out.text_size);
  std::memcpy(out.text + out.text_size, text.data(), size);
  out.text_size = static_cast<std::uint16_t>(out.text_size + size);
  out.text[out.text_size] = '\0';
}

void Work::write_value(const char* name, std::uint64_t value) {
  write(":");
  write(name);
  write("=");
  write_number(value, 10);
}

void Work::write_hex(std::string_view before, std::uint64_t value) {
  write(before);
  write_number(value, 16);
}

void Work::write_number(std::uint64_t value, int base) {
  char digits[20];
  write({digits, std::to_chars(digits, std::end(digits), value, base).ptr});
}

void Work::write_name() {
  if (out.wants_text) write(dictionary().text(event.name));
}

void Work::write_event() {
  write_name();
  sort();
  if (!out.wants_text) return;
  for (unsigned i = 0; i < count; ++i) {
    const Attribute one = attribute(i);
    if (one.kind == Attribute::Kind::mask) {
      write(":");
      write(dictionary().text(mask(one).name));
    } else if (one.kind == Attribute::Kind::raw_mask) {
      write_hex(":0x", static_cast<std::uint32_t>(chosen[i].value));
    }
  }
}

namespace {

Error encode_found(const Found& found, const Scope& scope, std::uint8_t levels, Os os,
                   Encoded& out) {
  return with_attributes(found, scope, levels, os, out, [&](Work& work) {
    Error error = encode_words(work);
    if (os == Os::none || error != Error::none) return error;
    error = fill_attr(work, scope);
    return error == Error::none ? apply_os_modifiers(work, scope) : error;
  });
}

}  // namespace

Error encode(const Scope& scope, std::string_view text, std::uint8_t levels, Os os, Encoded& out) {
  Found found;
  if (const Error error = find_named_event(scope, text, out, found); error != Error::none)
    return error;
  return encode_found(found, scope, levels, os, out);
}

Error encode_event(const Scope& scope, const Pmu& pmu, unsigned event, std::string_view attributes,
                   std::uint8_t levels, Os os, Encoded& out) {
  return encode_found({&pmu, static_cast<int>(event), attributes}, scope, levels, os, out);
}

Error find(const Scope& scope, std::string_view text, Encoded& out) {
  Found found;
  if (const Error error = find_named_event(scope, text, out, found); error != Error::none)
    return error;
  return with_attributes(found, scope, 0, Os::none, out, [](Work&) { return Error::none; });
}

}  // namespace evname::pfm4
