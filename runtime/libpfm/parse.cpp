#include "libpfm/parse.hpp"

#include <cstdlib>
#include <optional>
#include <string>

#include "libpfm/perf_layer.hpp"

namespace evname::libpfm {
namespace {

constexpr std::string_view kBetweenEvents = ", \t\n";
constexpr std::string_view kBetweenAttributes = ":.";
/// Another name can stand for another name, but no table needs more.
constexpr int kDeepestAlias = 8;

/// Takes the text up to the next separator, and returns false at the end.
bool take(std::string_view& rest, bool& is_done, std::string_view& part) {
  if (is_done) return false;
  const auto end = rest.find_first_of(kBetweenAttributes);
  part = rest.substr(0, end);
  is_done = end == std::string_view::npos;
  rest.remove_prefix(is_done ? rest.size() : end + 1);
  return true;
}

/// Returns the number that strtoull reads of the whole text, in any base that it knows.
std::optional<std::uint64_t> whole_number(std::string_view text, int base) {
  const std::string copy(text);
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(copy.c_str(), &end, base);
  if (*end != '\0' || end != copy.c_str() + copy.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> boolean(std::string_view text) {
  if (text.size() != 1) return std::nullopt;
  if (text.find_first_of("yYtT1") == 0) return 1;
  if (text.find_first_of("nNfF0") == 0) return 0;
  return std::nullopt;
}

/// Reads the attributes of one event.
class AttributeParser {
 public:
  explicit AttributeParser(Request& request) : request_(request) {}

  Status read(std::string_view rest, int depth) {
    std::string_view part;
    for (bool is_done = false; take(rest, is_done, part);)
      if (const Status status = one(part, depth); status != kSuccess) return status;
    return kSuccess;
  }

 private:
  Status one(std::string_view part, int depth) {
    const auto equals = part.find('=');
    const bool has_value = equals != std::string_view::npos;
    const std::string_view name = part.substr(0, equals);
    const std::string_view value = has_value ? part.substr(equals + 1) : "";
    if (name.size() >= 2 && name[0] == '0' && (name[1] == 'x' || name[1] == 'X'))
      return raw_mask(name, has_value);

    const Found found = find_attribute(request_, name, has_value);
    if (found.position < 0) return kAttribute;
    const Attribute& attribute = found.attribute;
    if (attribute.type == kUnitMaskAttribute) {
      has_mask_ = true;
      if (has_raw_mask_) return kAttribute;
    }
    if (attribute.equiv != nullptr) {
      if (has_value) return kAttributeValue;
      return depth == 0 ? kAttribute : read(attribute.equiv, depth - 1);
    }
    Asked asked{found.position, attribute.type, attribute.control, attribute.takes_no_modifiers,
                attribute.index, 0};
    if (attribute.type != kUnitMaskAttribute) {
      if (!has_value && attribute.type != kBoolean) return kAttributeValue;
      if (has_value && value.empty()) return kAttributeValue;
      const auto number = !has_value                      ? std::optional<std::uint64_t>(1)
                          : attribute.type == kBoolean ? boolean(value)
                                                       : whole_number(value, 0);
      if (!number) return kAttributeValue;
      asked.value = *number;
    }
    return add(asked);
  }

  Status raw_mask(std::string_view digits, bool has_value) {
    if (has_raw_mask_ || has_mask_ || !request_.unit->facts().takes_raw_masks) return kAttribute;
    const auto bits = whole_number(digits, 0);
    if (!bits) return kAttribute;
    has_raw_mask_ = true;
    if (has_value) return kAttributeValue;
    return add({attribute_count(request_), kRawUnitMask, kControlPmu, false, *bits, 0});
  }

  /// Adds what is not there already: the same attribute with another value is an error.
  Status add(const Asked& more) {
    for (const Asked& known : request_.asked())
      if (known.index == more.index && known.type == more.type && known.control == more.control)
        return known.value == more.value ? kSuccess : clash();
    return request_.add(more) ? kSuccess : kTooMany;
  }
  /// A clash counts only if the rest of the text is right.
  Status clash() {
    has_clash = true;
    return kSuccess;
  }

  Request& request_;
  bool has_mask_ = false, has_raw_mask_ = false;

 public:
  bool has_clash = false;
};

Status parse_attributes(std::string_view rest, bool has_rest, Request& request) {
  if (!has_rest) return kSuccess;
  AttributeParser parser(request);
  const Status status = parser.read(rest, kDeepestAlias);
  return status == kSuccess && parser.has_clash ? kAttributeSet : status;
}

/// Splits "EVENT:…" into the name and what follows it.
std::string_view split_event(std::string_view& rest, bool& has_rest) {
  const auto end = rest.find_first_of(kBetweenAttributes);
  const std::string_view name = rest.substr(0, end);
  has_rest = end != std::string_view::npos;
  rest = has_rest ? rest.substr(end + 1) : "";
  return name;
}

/// Sets event and attributes of an event that is another name of one of the same unit.
Status follow_alias(const char* equiv, Request& request, int depth) {
  if (depth == 0) return kNotFound;
  std::string_view rest = equiv;
  bool has_rest = false;
  const int event = request.unit->find(split_event(rest, has_rest), request);
  if (event < 0) return kNotFound;
  request.event = event;
  return parse_attributes(rest, has_rest, request);
}

}  // namespace

Status parse(std::string_view text, std::span<const ListedUnit> units, Request& request) {
  if (text.find_first_of(kBetweenEvents) != std::string_view::npos) return kInvalid;
  std::string_view unit_name;
  const auto mark = text.find("::");
  const bool has_unit = mark != std::string_view::npos;
  std::string_view rest = text;
  if (has_unit) {
    unit_name = text.substr(0, mark);
    rest = text.substr(mark + 2);
  }
  bool has_rest = false;
  const std::string_view name = split_event(rest, has_rest);
  for (const ListedUnit& listed : units) {
    const UnitFacts& facts = listed.unit->facts();
    if (has_unit ? !same_name(unit_name, facts.name) : !listed.is_active || facts.is_deprecated)
      continue;
    const int event = listed.unit->find(name, request);
    if (event < 0) continue;
    request.unit = listed.unit;
    request.event = event;
    const char* equiv = listed.unit->event(event).equiv;
    if (equiv != nullptr)
      if (const Status status = follow_alias(equiv, request, kDeepestAlias); status != kSuccess)
        return status;
    return parse_attributes(rest, has_rest, request);
  }
  return kNotFound;
}

}  // namespace evname::libpfm
