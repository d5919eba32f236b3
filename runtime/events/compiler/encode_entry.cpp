#include "events/compiler/encode_entry.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

#include <fmt/format.h>

#include "base/text.hpp"
#include "events/compiler/entry.hpp"
#include "events/compiler/keys.hpp"

namespace evname::compiler {
namespace {

using Value = tables::Term::Value;

/// Values that vendor files write where they mean "none".
constexpr std::string_view kBlanks[] = {"na", "n/a", "null", "tbd"};

bool is_blank(std::string_view text) {
  text = trim(text);
  return text.empty() || std::ranges::any_of(kBlanks, [&](std::string_view blank) {
           return equal_ignoring_case(text, blank);
         });
}

/// Reads keys of one object as numbers and reports invalid ones.
class Values {
 public:
  Values(const trees::Object& object, trees::Diagnostics& diagnostics)
      : object_(object), diagnostics_(diagnostics), event_(object.get("EventName")) {
    if (event_.empty()) event_ = object.get("ArchStdEvent");
  }

  bool ok() const { return ok_; }
  const trees::Object& object() const { return object_; }
  bool has(std::string_view key) const { return field_of(key) != nullptr; }

  /// The number of a key, zero if it is missing. With `first_of_list`, "0xB7, 0xBB" is 0xb7.
  Number number(std::string_view key, bool first_of_list = false) {
    const trees::Field* const field = field_of(key);
    if (field == nullptr) return {};
    std::string_view text = field->value;
    if (first_of_list) text = text.substr(0, text.find(','));
    const auto number = read_number(text);
    if (!number) {
      error(*field, fmt::format("'{}' is not a number", field->value));
      return Number{};
    }
    check_width(*field, number->value);
    return *number;
  }

  void error(const trees::Field& field, std::string message) {
    diagnostics_.report(trees::Severity::error, field.place, event_, field.key, std::move(message));
    ok_ = false;
  }

  void warn(const trees::Field& field, std::string message) {
    diagnostics_.report(trees::Severity::warning, field.place, event_, field.key,
                        std::move(message));
  }

 private:
  /// Returns nullptr if the key is missing or has no value.
  const trees::Field* field_of(std::string_view key) const {
    const trees::Field* const field = object_.find(key);
    return field && !field->nested && !is_blank(field->value) ? field : nullptr;
  }

  void check_width(const trees::Field& field, std::uint64_t value) {
    const Key* key = find_key(field.key);
    const int width = std::bit_width(value);
    if (!key || key->bits == 0 || width <= key->bits) return;
    warn(field, fmt::format("{:#x} needs {} bits, the field has {}", value, width, key->bits));
  }

  const trees::Object& object_;
  trees::Diagnostics& diagnostics_;
  std::string_view event_;
  bool ok_ = true;
};

tables::Term number_term(std::string_view name, Number number) {
  return {.name = name,
          .value = Value::number,
          .number = number.value,
          .is_decimal = number.is_decimal};
}

struct HeadRow {
  std::string_view key, term;
};

// Keys with the code in place of EventCode; the first existing one counts.
constexpr HeadRow kHeads[] = {{"ConfigCode", "config"},
                              {"EventidCode", "eventid"},
                              {"LegacyConfigCode", "legacy-hardware-config"},
                              {"LegacyCacheCode", "legacy-cache-config"}};

/// The first term: the event's code.
tables::Term head_term(Values& values) {
  for (const HeadRow& row : kHeads)
    if (values.has(row.key)) return number_term(row.term, {values.number(row.key).value});
  Number code = values.number("EventCode", true);
  code.value |= values.number("ExtSel").value << 8;
  return number_term("event", {code.value});
}

/// Lists correspond to the codes of EventCode or to the registers of MSRIndex; the first element is
/// taken, as there. UMaskExt has the bits above the ordinary unit mask, unless the entry uses the
/// masks of an IIO port, which are in the same place.
Number unit_mask(Values& values) {
  Number mask = values.number("UMask", true);
  const std::uint64_t extension = values.number("UMaskExt").value;
  const bool port = values.number("PortMask").value != 0 || values.number("FCMask").value != 0;
  if (extension == 0 || port) return mask;
  return {mask.value | extension << 8};
}

/// A term whose value is copied as written (MSRValue, Filter), even if numbers have another usual
/// form.
tables::Term verbatim_term(std::string_view name, std::string_view text) {
  const auto number = read_number(text);
  if (!number) return {name, Value::text, 0, text};
  tables::Term term = number_term(name, *number);
  const bool plain = number->is_decimal || number->value <= 9;
  if (fmt::format(fmt::runtime(plain ? "{}" : "{:#x}"), number->value) != text) term.text = text;
  return term;
}

struct MsrRow {
  std::uint64_t index;
  std::string_view term;
};

// Extra registers that have a format field of their own (LD_LAT_THRESHOLD, OFFCORE_RSP_n, OMR_n,
// FRONTEND).
constexpr MsrRow kMsrs[] = {{0x3f6, "ldlat"},       {0x1a6, "offcore_rsp"}, {0x1a7, "offcore_rsp"},
                            {0x3e0, "offcore_rsp"}, {0x3e1, "offcore_rsp"}, {0x3e2, "offcore_rsp"},
                            {0x3e3, "offcore_rsp"}, {0x3f7, "frontend"}};

void add_msr_term(Values& values, std::vector<tables::Term>& out) {
  const Number index = values.number("MSRIndex", true);
  if (index.value == 0) return;
  const trees::Field& field = *values.object().find("MSRIndex");
  for (const MsrRow& row : kMsrs) {
    if (row.index != index.value) continue;
    if (values.has("MSRValue")) {
      out.push_back(verbatim_term(row.term, values.object().get("MSRValue")));
    } else {
      values.warn(field, "no MSRValue; 0 is meant");
      out.push_back(number_term(row.term, {}));
    }
    return;
  }
  values.error(field, fmt::format("no term is known for MSR {:#x}", index.value));
}

struct Prefix {
  std::string_view text;
  int base;
};

constexpr Prefix kPrefixes[] = {{"0x", 16}, {"0X", 16}, {"0o", 8}, {"0b", 2}};

constexpr std::uint64_t kFirstFixed = 32;   // INTEL_PMC_IDX_FIXED of the kernel
constexpr std::uint64_t kMaxCounters = 64;  // bits of a set

bool is_core(std::string_view pmu) { return pmu == "default_core" || pmu.starts_with("cpu_"); }

bool is_pseudo_code(std::span<const tables::Term> terms) {
  return std::none_of(terms.begin(), terms.end(), [](const tables::Term& term) {
    return term.name == "event" && term.number != 0;
  });
}

/// Returns the number of a fixed counter ("Fixed counter 2", "FIXED"); nullopt: not a fixed
/// counter.
std::optional<std::uint64_t> fixed_counter(std::string_view text) {
  constexpr std::string_view kFixed = "fixed", kCounter = "counter";
  text = trim(text);
  if (!starts_ignoring_case(text, kFixed)) return std::nullopt;
  std::string_view rest = trim(text.substr(kFixed.size()));
  if (starts_ignoring_case(rest, kCounter)) rest = trim(rest.substr(kCounter.size()));
  return rest.empty() ? 0 : parse_decimal(rest);
}

/// "0,1,3"; nullopt: something else.
std::optional<tables::Counters> numbered_counters(std::string_view text, bool core) {
  tables::Counters out{};
  for (const std::string_view piece : split(text, ',')) {
    const auto number = parse_decimal(trim(piece));
    if (!number || *number >= kMaxCounters) return std::nullopt;
    if (core && *number >= kFirstFixed)
      out.fixed |= std::uint64_t{1} << (*number - kFirstFixed);
    else
      out.generic |= std::uint64_t{1} << *number;
  }
  return out;
}

std::optional<std::uint16_t> counter_number(const trees::Object& object, std::string_view key,
                                            trees::Diagnostics& diagnostics) {
  const trees::Field* field = object.find(key);
  if (field == nullptr) return 0;
  const auto number = parse_decimal(trim(field->value));
  if (number && *number <= kMaxCounters) return static_cast<std::uint16_t>(*number);
  diagnostics.report(trees::Severity::warning, field->place, object.get("Unit"), key,
                     fmt::format("'{}' is not a number of counters (at most {}); left out",
                                 field->value, kMaxCounters));
  return std::nullopt;
}

}  // namespace

std::optional<Number> read_number(std::string_view text) {
  text = trim(text);
  int base = 10;
  for (const Prefix& prefix : kPrefixes) {
    if (!text.starts_with(prefix.text)) continue;
    base = prefix.base;
    text.remove_prefix(prefix.text.size());
    break;
  }
  Number number;
  number.is_decimal = base == 10;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number.value, base);
  if (text.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

bool encode_terms(const trees::Object& object, trees::Diagnostics& diagnostics,
                  std::vector<tables::Term>& out) {
  Values values(object, diagnostics);
  constexpr std::size_t kUsual = 4;
  out.clear();
  out.reserve(kUsual);
  out.push_back(head_term(values));
  for (const Key& key : keys()) {
    if (key.kind != KeyKind::field) continue;
    const Number number = key.name == "UMask" ? unit_mask(values) : values.number(key.name);
    if (number.value != 0) out.push_back(number_term(key.term, number));
  }
  if (values.has("Filter"))
    for (const tables::Term& term : terms_of_text(object.get("Filter"))) out.push_back(term);
  add_msr_term(values, out);
  return values.ok();
}

std::vector<tables::Term> terms_of_text(std::string_view text) {
  std::vector<tables::Term> terms;
  for (const std::string_view piece : split(text, ',')) {
    const auto equal = piece.find('=');
    if (equal == std::string_view::npos) {
      terms.push_back({piece});
    } else {
      terms.push_back(verbatim_term(piece.substr(0, equal), piece.substr(equal + 1)));
    }
  }
  return terms;
}

const char* fixed_terms(std::string_view name) {
  struct Row {
    std::string_view name;
    const char* terms;
  };
  constexpr Row kRows[] = {
      {"inst_retired.any", "event=0xc0,period=2000003"},
      {"inst_retired.any_p", "event=0xc0,period=2000003"},
      {"cpu_clk_unhalted.ref", "event=0x0,umask=0x03,period=2000003"},
      {"cpu_clk_unhalted.thread", "event=0x3c,period=2000003"},
      {"cpu_clk_unhalted.core", "event=0x3c,period=2000003"},
      {"cpu_clk_unhalted.thread_any", "event=0x3c,any=1,period=2000003"},
  };
  for (const Row& row : kRows)
    if (row.name == name) return row.terms;
  return nullptr;
}

tables::Counters read_counters(const trees::Object& object, std::string_view pmu,
                               std::span<const tables::Term> terms,
                               trees::Diagnostics& diagnostics) {
  const trees::Field* field = object.find("Counter");
  if (field == nullptr || trim(field->value).empty()) return {};
  const bool core = is_core(pmu);
  if (const auto fixed = fixed_counter(field->value); fixed && *fixed < kMaxCounters)
    return {core && !is_pseudo_code(terms) ? tables::kAnyCounter : 0, std::uint64_t{1} << *fixed};
  if (const auto numbered = numbered_counters(field->value, core)) return *numbered;
  diagnostics.report(trees::Severity::warning, field->place, object.get("EventName"), field->key,
                     fmt::format("'{}' is neither a list of counters (0 to {}) nor a fixed counter;"
                                 " left out",
                                 field->value, kMaxCounters - 1));
  return {};
}

void CounterNumbers::hold(const tables::Counters& counters) {
  const auto width = [](std::uint64_t set) {
    return static_cast<std::uint16_t>(set == tables::kAnyCounter ? 0 : std::bit_width(set));
  };
  generic = std::max(generic, width(counters.generic));
  fixed = std::max(fixed, width(counters.fixed));
}

tables::Counters CounterNumbers::normal(tables::Counters counters) const {
  if (generic > 0 && std::countr_one(counters.generic) >= generic)
    counters.generic = tables::kAnyCounter;
  return counters;
}

std::optional<std::pair<std::string, CounterNumbers>> read_counter_numbers(
    const trees::Object& object, trees::Diagnostics& diagnostics) {
  if (object.find("CountersNumGeneric") == nullptr && object.find("CountersNumFixed") == nullptr)
    return std::nullopt;
  const auto generic = counter_number(object, "CountersNumGeneric", diagnostics);
  const auto fixed = counter_number(object, "CountersNumFixed", diagnostics);
  if (!generic || !fixed) return std::nullopt;
  const std::string_view unit = object.get("Unit");
  return std::pair(unit == "core" ? pmu_of_unit("") : pmu_of_unit(unit),
                   CounterNumbers{*generic, *fixed});
}

}  // namespace evname::compiler
