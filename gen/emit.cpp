#include "gen/emit.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <concepts>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "base/parallel.hpp"

namespace evname::gen {
namespace {

using Out = std::string;

/// Appends the pieces one after the other.
void add(Out& out, std::initializer_list<std::string_view> pieces) {
  for (const std::string_view piece : pieces) out += piece;
}

template <class Number, class... Base>
void add_number(Out& out, Number value, Base... base) {
  char digits[32];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value, base...).ptr);
}

void add_hex(Out& out, std::uint64_t value) {
  out += "0x";
  add_number(out, value, 16);
}

/// Returns an identifier for the architecture, another for each: "loongarch64" stays, "a-b" becomes
/// "a_2d_b".
std::string identifier(std::string_view arch) {
  std::string out;
  for (const char c : arch) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && std::isalnum(byte) != 0;
    if (plain) {
      out += c;
      continue;
    }
    out += '_';
    add_number(out, unsigned{byte}, 16);
    out += '_';
  }
  return out;
}

/// Returns "kTermNames" for "term_names".
std::string constant(std::string_view name) {
  std::string out = "k";
  bool start = true;
  for (const char c : name) {
    if (c != '_') out += start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    start = c == '_';
  }
  return out;
}

constexpr auto is_plain = [](char c) {
  return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '?';
};

void add_escaped(Out& out, std::string_view text) {
  while (!text.empty()) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_plain);
    out.append(text.begin(), end);
    text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
    if (text.empty()) return;
    const char c = text.front();
    const auto byte = static_cast<unsigned char>(c);
    out += '\\';
    if (c == '"' || c == '\\' || c == '?')  // no trigraphs
      out += c;
    else
      for (const int shift : {6, 3, 0}) out += static_cast<char>('0' + (byte >> shift & 7));
    text.remove_prefix(1);
  }
}

/// Adds one literal for each text; each ends in its own zero byte.
void add_strings(Out& out, std::string_view strings) {
  out.reserve(strings.size() + strings.size() / 4);
  out += "constexpr char kStrings[] =\n";
  while (!strings.empty()) {
    const std::string_view text = strings.substr(0, strings.find('\0'));
    out += "    \"";
    add_escaped(out, text);
    out += "\\0\"\n";
    strings.remove_prefix(text.size() + 1);
  }
  out += "    ;\n\n";
}

/// Adds "{1,2,3}".
void add_row(Out& out, std::initializer_list<std::uint64_t> values) {
  char before = '{';
  for (const std::uint64_t value : values) {
    out += std::exchange(before, ',');
    add_number(out, value);
  }
  out += '}';
}

// Each overload adds the initialiser of one kind of element.

void add_element(Out& out, std::integral auto value) { add_number(out, value); }

/// Adds a number that C++ reads back as it was.
void add_element(Out& out, double value) {
  if (std::isnan(value)) {
    out += "__builtin_nan(\"\")";
  } else if (std::isinf(value)) {
    out += value < 0 ? "-__builtin_inf()" : "__builtin_inf()";
  } else {
    out += std::signbit(value) ? "-0x" : "0x";
    add_number(out, std::abs(value), std::chars_format::hex);
  }
}

void add_element(Out& out, const tables::StoredTerm& t) {
  out += '{';
  add_hex(out, t.value);
  for (const std::uint32_t number : {t.text, std::uint32_t{t.name}}) {
    out += ',';
    add_number(out, number);
  }
  out += ",Spelling";
  add_row(out, {static_cast<std::uint64_t>(t.spelling)});
  out += t.numeric ? ",1}" : ",0}";
}

void add_element(Out& out, const tables::Event& e) {
  add_row(out, {e.name, e.desc, e.long_desc, e.terms, e.term_count, e.traits, e.flags, e.latency,
                e.reserved});
}

void add_element(Out& out, const tables::EventTraits& t) {
  add_row(out, {t.topic, t.scale_unit, t.compat, t.errata});
}

void add_element(Out& out, const tables::Latency& l) {
  char before = '{';
  for (const double value : {l.mean, l.min, l.max}) {
    out += std::exchange(before, ',');
    add_element(out, value);
  }
  out += '}';
}

void add_element(Out& out, const tables::PmuEvents& p) {
  add_row(out, {p.pmu, p.first, p.count, p.generic_counters, p.fixed_counters});
}

void add_element(Out& out, const tables::Model& m) {
  add_row(out, {m.name, m.first_pmu, m.pmu_count, m.first_slot, m.slot_count, m.first_metric,
                m.metric_count, m.flags, m.source, m.example_cpuid});
}

void add_element(Out& out, const tables::MapRow& r) {
  add_row(out, {r.pattern, r.version, r.model});
}

void add_element(Out& out, const tables::MapOverlap& o) { add_row(out, {o.first, o.second}); }

void add_element(Out& out, const tables::Counters& c) {
  out += '{';
  add_hex(out, c.generic);
  out += ',';
  add_hex(out, c.fixed);
  out += '}';
}

void add_element(Out& out, const tables::Metric& m) {
  add_row(out, {m.pmu, m.name, m.group, m.expr, m.threshold, m.desc, m.long_desc, m.unit, m.compat,
                m.no_group, m.default_group, m.sample, m.expr_program, m.threshold_program,
                m.aggregation, m.constraint, m.show_events, m.share_of});
}

void add_element(Out& out, const tables::Program& p) {
  add_row(out, {p.first_step, p.first_number, p.first_symbol, p.step_count, p.number_count,
                p.symbol_count, 0});
}

void add_element(Out& out, expression::Step step) {
  out += "{expression::Op";
  add_row(out, {static_cast<std::uint64_t>(step.op)});
  out += ',';
  add_number(out, static_cast<int>(step.operand));
  out += '}';
}

void add_element(Out& out, const tables::Symbol& s) {
  out += '{';
  add_number(out, s.name);
  out += ',';
  add_number(out, s.size);
  out += ",expression::SymbolKind";
  add_row(out, {static_cast<std::uint64_t>(s.kind)});
  out += ",0}";
}

void add_element(Out& out, const tables::MetricGroup& g) { add_row(out, {g.name, g.desc}); }

/// Adds "{{1,2,3,4},5}": the scope of a fact before its other members.
void add_fact(Out& out, const tables::FactScope& scope,
              std::initializer_list<std::uint64_t> values) {
  out += '{';
  add_row(out, {scope.arch, scope.pmus, scope.cpuids, scope.models});
  for (const std::uint64_t value : values) {
    out += ',';
    add_number(out, value);
  }
  out += '}';
}

/// Adds the last member, "PmuKind{1}}".
template <class Enum>
void add_enum(Out& out, std::string_view type, Enum value) {
  out += type;
  add_row(out, {static_cast<std::uint64_t>(value)});
  out += '}';
}

void add_element(Out& out, const tables::FormatField& f) {
  add_row(out, {f.name, f.word});
  out.back() = ',';
  add_hex(out, f.mask);
  out += '}';
}

void add_element(Out& out, const tables::PmuFact& p) {
  add_fact(out, p.scope, {p.first_field, p.field_count, p.type});
  out.back() = ',';
  add_enum(out, "PmuKind", p.kind);
}

void add_element(Out& out, const tables::ClearedFact& c) { add_fact(out, c.scope, {c.bits}); }

void add_element(Out& out, const tables::UnitFact& u) { add_fact(out, u.scope, {u.unit}); }

void add_element(Out& out, const tables::PmuEvent& e) {
  add_row(out, {e.name, e.terms, e.unit});
  out.back() = ',';
  add_element(out, e.scale);
  out += '}';
}

void add_element(Out& out, const tables::PmuEventFact& e) {
  add_fact(out, e.scope, {e.first_event, e.event_count});
}

void add_element(Out& out, const tables::FormerScale& f) {
  add_fact(out, f.scope, {f.events, f.unit});
  out.back() = ',';
  add_element(out, f.scale);
  out += '}';
}

void add_element(Out& out, const tables::EventTextFact& e) {
  add_fact(out, e.scope, {e.events, e.description});
}

void add_element(Out& out, const tables::CounterFact& c) {
  add_fact(out, c.scope, {c.generic, c.fixed, c.one_thread, c.each, c.paired_event});
}

void add_element(Out& out, const tables::SlotsFact& s) { add_fact(out, s.scope, {s.slots}); }

void add_element(Out& out, const tables::GenericCode& g) {
  out += '{';
  add_hex(out, g.code);
  out += ',';
  add_number(out, g.event);
  out += ",0}";
}

void add_element(Out& out, const tables::GenericFact& g) {
  add_fact(out, g.scope, {g.first_code, g.code_count});
}

void add_element(Out& out, const tables::CpuName& n) {
  add_row(out, {n.name, n.model, n.cpuids});
  out.back() = ',';
  add_enum(out, "NameKind", n.kind);
}

void add_element(Out& out, const tables::CpuProduct& p) {
  add_row(out, {p.pattern, p.model, p.cpuid, p.note});
}

/// Adds an array and its count. An array is never empty in C++, so an unused element stands in.
template <class T>
void add_array(Out& out, std::string_view type, std::string_view name,
               const std::vector<T>& values) {
  constexpr std::size_t kPerLine = sizeof(T) <= 8 ? 12 : sizeof(T) <= 36 ? 4 : 2;
  const std::string array = constant(name);
  add(out, {"constexpr std::size_t ", array, "Count = "});
  add_number(out, values.size());
  add(out, {";\nconstexpr ", type, " ", array, "[] = {"});
  for (std::size_t i = 0; i < values.size(); ++i) {
    out += i % kPerLine == 0 ? "\n    " : " ";
    add_element(out, values[i]);
    out += ',';
  }
  if (values.empty()) out += "{}";
  out += "\n};\n\n";
}

using AddPart = void (*)(Out& out, const tables::TableArrays& arrays);
#define ARRAY(Element, name) \
  [](Out& out, const tables::TableArrays& a) { add_array(out, #Element, #name, a.name); },
constexpr AddPart kParts[] = {
    [](Out& out, const tables::TableArrays& a) { add_strings(out, a.strings); },
    EVNAME_TABLE_ARRAYS(ARRAY)};
#undef ARRAY

/// Adds "{kTerms, kTermsCount}," for each array, and the end of the function that returns their
/// views.
void add_views(Out& out, std::initializer_list<std::string_view> names) {
  out += "      {kStrings, sizeof kStrings},\n";
  for (const std::string_view name : names) {
    const std::string array = constant(name);
    add(out, {"      {", array, ", ", array, "Count},\n"});
  }
  out += "  };\n}\n\n";
}

#define ARRAY(Element, name) #name,
void add_function(Out& out, const tables::TableArrays& arrays) {
  const std::string name = identifier(arrays.arch);
  add(out, {"}  // namespace of_", name, "\n\nArchTables tables_", name, "() {\n"});
  add(out, {"  using namespace of_", name, ";\n"});
  out += "  return {\n      \"";
  add_escaped(out, arrays.arch);
  out += "\",\n";
  add_views(out, {EVNAME_TABLE_ARRAYS(ARRAY)});
  out += "}  // namespace evname::tables\n";
}

void add_facts(Out& out, const tables::FactArrays& facts) {
  out += "namespace of_cpus {\n\n";
  add_strings(out, facts.strings);
#undef ARRAY
#define ARRAY(Element, name) add_array(out, #Element, #name, facts.name);
  EVNAME_FACT_ARRAYS(ARRAY)
#undef ARRAY
#define ARRAY(Element, name) #name,
  out +=
      "}  // namespace of_cpus\n\nCpuFacts generated_facts() {\n"
      "  using namespace of_cpus;\n  return {\n";
  add_views(out, {EVNAME_FACT_ARRAYS(ARRAY)});
}
#undef ARRAY

constexpr std::string_view kFirstLine = "// Generated by evname-gen; do not edit.\n";

}  // namespace

std::vector<std::string> emit_architecture(const tables::TableArrays& arrays) {
  std::vector<Out> parts(std::size(kParts) + 2);
  const std::string name = identifier(arrays.arch);
  add(parts.front(),
      {kFirstLine, "#include \"events/tables/tables.hpp\"\n\nnamespace evname::tables {\n",
       "ArchTables tables_", name, "();\n\nnamespace of_", name, " {\n\n"});
  parallel_for(std::size(kParts), core_count(),
               [&](std::size_t part) { kParts[part](parts[part + 1], arrays); });
  add_function(parts.back(), arrays);
  return parts;
}

std::string emit_index(std::span<const std::string> architectures,
                       const tables::FactArrays& facts) {
  Out out;
  add(out, {kFirstLine,
            "#include \"events/tables/cpu_facts.hpp\"\n#include \"events/tables/registry.hpp\"\n\n"
            "namespace evname::tables {\n\n"});
  add_facts(out, facts);
  for (const std::string& arch : architectures)
    add(out, {"ArchTables tables_", identifier(arch), "();\n"});
  const std::string count = std::to_string(architectures.size());
  add(out, {"\nstd::size_t generated_count() { return ", count, "; }\n\n"});
  out += "ArchTables generated_tables(std::size_t index) {\n  switch (index) {\n";
  for (std::size_t i = 0; i < architectures.size(); ++i)
    add(out, {"    case ", std::to_string(i), ":\n      return tables_",
              identifier(architectures[i]), "();\n"});
  out += "    default:\n      return {};\n  }\n}\n\n}  // namespace evname::tables\n";
  return out;
}

}  // namespace evname::gen
