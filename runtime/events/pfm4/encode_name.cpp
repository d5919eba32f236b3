#include "events/pfm4/encode_name.hpp"

#include <algorithm>
#include <cstring>

#include "events/pfm4/chosen.hpp"

namespace evname::pfm4 {
namespace {

constexpr std::string_view kDelimiters = ":.";

/// Reads a number as strtoull() with base 0 does.
bool read_c_number(std::string_view text, std::uint64_t& value) {
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const unsigned base = hex ? 16 : text.size() > 1 && text[0] == '0' ? 8 : 10;
  value = 0;
  if (hex) text.remove_prefix(2);
  for (const char letter : text) {
    const unsigned digit = letter >= '0' && letter <= '9'   ? unsigned(letter - '0')
                           : letter >= 'a' && letter <= 'f' ? unsigned(letter - 'a' + 10)
                           : letter >= 'A' && letter <= 'F' ? unsigned(letter - 'A' + 10)
                                                            : 99;
    if (digit >= base) return false;
    value = value > (UINT64_MAX - digit) / base ? UINT64_MAX : value * base + digit;
  }
  return true;
}

/// Takes the first piece of a text off; the text has no data() after the last.
std::string_view take_piece(std::string_view& text) {
  const std::size_t end = text.find_first_of(kDelimiters);
  const std::string_view piece = text.substr(0, end);
  text = end == text.npos ? std::string_view()
                          : std::string_view(text.data() + end + 1, text.size() - end - 1);
  return piece;
}

bool read_truth(std::string_view text, std::uint64_t& value) {
  if (text.size() != 1) return false;
  const char letter = text[0];
  value = letter == 'y' || letter == 'Y' || letter == 't' || letter == 'T' || letter == '1';
  return value == 1 || std::strchr("nNfF0", letter) != nullptr;
}

/// What of an event's masks was seen in one text.
struct SeenMasks {
  bool named = false, raw = false;
};

const char* alias_of(const Work& work, Attribute attribute) {
  if (attribute.kind != Attribute::Kind::mask || attribute.of_os) return "";
  return dictionary().text(work.traits_of(attribute).alias);
}

Error parse_attributes(Work& work, std::string_view text, unsigned depth);

Error parse_raw_mask(Work& work, std::string_view word, bool has_value, SeenMasks& seen) {
  if (seen.named || seen.raw || (work.pmu.flags & kRawMasks) == 0) return Error::attribute;
  std::uint64_t value = 0;
  if (!read_c_number(word, value)) return Error::attribute;
  seen.raw = true;
  if (has_value) return Error::attribute_value;
  const auto end = static_cast<std::uint16_t>(work.list.all().size());
  return work.add({end, value}) ? Error::none : Error::too_many;
}

Error parse_attribute(Work& work, std::string_view piece, SeenMasks& seen, unsigned depth) {
  const std::size_t equals = piece.find('=');
  const bool has_value = equals != piece.npos;
  const std::string_view word = piece.substr(0, equals);
  const std::string_view value = has_value ? piece.substr(equals + 1) : std::string_view();
  if (word.size() >= 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X'))
    return parse_raw_mask(work, word, has_value, seen);
  const auto all = work.list.all();
  const auto at = std::ranges::find_if(all, [&](Attribute one) {
    return !(has_value &&
             one.kind == Attribute::Kind::mask) &&  // a modifier and a mask of one name
           same_name(name_of(work.pmu, work.event, one), word);
  });
  if (at == all.end()) {
    const bool is_mask = has_value && std::ranges::any_of(all, [&](Attribute one) {
                           return same_name(name_of(work.pmu, work.event, one), word);
                         });
    (void)is_mask;
    return Error::attribute;
  }
  Chosen one{static_cast<std::uint16_t>(at - all.begin()), 0};
  if (at->kind == Attribute::Kind::mask) {
    seen.named = true;
    if (seen.raw) return Error::attribute;
    if (const std::string_view alias = alias_of(work, *at); !alias.empty())
      return parse_attributes(work, alias, depth + 1);
  } else if (at->kind == Attribute::Kind::boolean) {
    one.value = 1;
    if (has_value && !read_truth(value, one.value)) return Error::attribute_value;
  } else {
    if (!has_value || value.empty() || !read_c_number(value, one.value))
      return Error::attribute_value;
  }
  return work.add(one) ? Error::none : Error::too_many;
}

/// Parses what follows an event's name; the text begins after the delimiter.
Error parse_attributes(Work& work, std::string_view text, unsigned depth) {
  constexpr unsigned kDeepest = 8;  // aliases of aliases
  if (depth > kDeepest) return Error::invalid;
  SeenMasks seen;
  while (text.data() != nullptr) {
    const std::string_view piece = take_piece(text);
    if (const Error error = parse_attribute(work, piece, seen, depth); error != Error::none)
      return error;
  }
  return Error::none;
}

/// Drops what was said twice; two values of one modifier are an error.
Error drop_repeated(Work& work) {
  for (unsigned i = 0; i < work.count; ++i)
    for (unsigned j = i + 1; j < work.count; ++j) {
      if (work.chosen[i].at != work.chosen[j].at) continue;
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
  for (const char letter : name.substr(1)) {
    const unsigned digit = letter >= '0' && letter <= '9'   ? unsigned(letter - '0')
                           : letter >= 'a' && letter <= 'f' ? unsigned(letter - 'a' + 10)
                           : letter >= 'A' && letter <= 'F' ? unsigned(letter - 'A' + 10)
                                                            : 99;
    if (digit > 15 || code >> 60 != 0) return false;
    code = code << 4 | digit;
  }
  return code != UINT64_MAX;
}

/// A text taken apart, and the event that it names.
struct Found {
  const Pmu* pmu = nullptr;
  int event = -1;
  std::string_view rest;  ///< what follows the name; without data() if there is nothing
};

bool find_on(const Pmu& pmu, std::string_view name, Encoded& out, int& event) {
  if (pmu.layout == Layout::raw) {
    event = 0;
    out.count = 1;
    return is_raw_event(name, out.codes[0]);
  }
  event = find_event(pmu, name);
  return event >= 0;
}

Error find_named_event(const Scope& scope, std::string_view text, Encoded& out, Found& found) {
  if (text.find_first_of(", \t\n") != text.npos) return Error::invalid;
  const std::size_t colons = text.find("::");
  const std::string_view pmu_name =
      colons == text.npos ? std::string_view() : text.substr(0, colons);
  found.rest = colons == text.npos ? text : text.substr(colons + 2);
  if (found.rest.data() == nullptr) return Error::not_found;
  const std::string_view name = take_piece(found.rest);
  const Dictionary& names = dictionary();
  const auto tried = [&](const Pmu& pmu) {
    found.pmu = &pmu;
    return find_on(pmu, name, out, found.event);
  };
  if (colons != text.npos) {
    if (scope.any_named) {
      const Pmu* pmu = find_pmu(pmu_name);
      return pmu != nullptr && tried(*pmu) ? Error::none : Error::not_found;
    }
    for (const std::uint16_t index : scope.active)
      if (same_name(names.text(names.pmus[index].name), pmu_name) && tried(names.pmus[index]))
        return Error::none;
    return Error::not_found;
  }
  for (const std::uint16_t index : scope.active)
    if ((names.pmus[index].flags & kDeprecated) == 0 && tried(names.pmus[index]))
      return Error::none;
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

/// Parses the attributes of the event, those of what it stands for first, and hands them on.
template <class Next>
Error with_attributes(const Found& found, const Scope& scope, std::uint8_t levels, Os os,
                      Encoded& out, Next&& next) {
  static constexpr Event kRawEvent{};
  const Dictionary& names = dictionary();
  const Pmu& pmu = *found.pmu;
  const bool is_raw = pmu.layout == Layout::raw;
  int index = found.event;
  std::string_view alias_rest;
  if (!is_raw) {
    std::string_view alias = names.text(names.traits_of(names.events_of(pmu)[index]).alias);
    if (!alias.empty()) {
      index = find_event(pmu, take_piece(alias));
      if (index < 0) return Error::not_found;
      alias_rest = alias;
    }
  }
  const Event& event = is_raw ? kRawEvent : names.events_of(pmu)[index];
  const AttributeList list(pmu, event, os, scope.levels);
  Work work{pmu, event, list, levels, out};
  out.pmu = &pmu;
  out.event = static_cast<unsigned>(index);
  Error error = parse_attributes(work, alias_rest, 0);
  if (error == Error::none) error = drop_repeated(work);
  if (error == Error::none) error = parse_attributes(work, found.rest, 0);
  if (error == Error::none) error = drop_repeated(work);
  return error == Error::none ? next(work) : error;
}

}  // namespace

void Work::sort() {
  std::stable_sort(chosen, chosen + count,
                   [](const Chosen& a, const Chosen& b) { return a.at < b.at; });
}

void Work::write(std::string_view text) {
  if (!out.wants_text) return;
  const std::size_t used = std::strlen(out.text);
  const std::size_t size = std::min(text.size(), sizeof out.text - 1 - used);
  std::memcpy(out.text + used, text.data(), size);
  out.text[used + size] = '\0';
}

void Work::write_event() {
  write(dictionary().text(event.name));
  sort();
  if (!out.wants_text) return;
  for (unsigned i = 0; i < count; ++i) {
    const Attribute one = attribute(i);
    if (one.kind == Attribute::Kind::mask) {
      write(":");
      write(dictionary().text(mask(one).name));
    } else if (one.kind == Attribute::Kind::raw_mask) {
      char digits[24];
      const auto end = fmt::format_to_n(digits, sizeof digits, ":{:#x}",
                                        static_cast<std::uint32_t>(chosen[i].value))
                           .out;
      write({digits, static_cast<std::size_t>(end - digits)});
    }
  }
}

Error encode(const Scope& scope, std::string_view text, std::uint8_t levels, Os os, Encoded& out) {
  Found found;
  if (const Error error = find_named_event(scope, text, out, found); error != Error::none)
    return error;
  return with_attributes(found, scope, levels, os, out, [&](Work& work) {
    Error error = encode_words(work);
    if (os == Os::none || error != Error::none) return error;
    error = fill_attr(work, scope);
    return error == Error::none ? apply_os_modifiers(work, scope) : error;
  });
}

Error find(const Scope& scope, std::string_view text, Encoded& out) {
  Found found;
  if (const Error error = find_named_event(scope, text, out, found); error != Error::none)
    return error;
  return with_attributes(found, scope, 0, Os::none, out, [](Work&) { return Error::none; });
}

}  // namespace evname::pfm4
