#include "gen/emit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/parallel.hpp"

namespace evname::gen {
namespace {

using Out = fmt::memory_buffer;

constexpr std::size_t kPerLine = 12;  // numbers or short rows on a line

template <class... Args>
void add(Out& out, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
}

/// An identifier for the architecture ("loongarch64" stays, "a-b" becomes "a_b").
std::string identifier(std::string_view arch) {
  std::string out(arch);
  for (char& c : out)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return out;
}

bool is_plain(char c) { return c >= 0x20 && c < 0x7f && c != '"' && c != '\\' && c != '?'; }

void add_escaped(Out& out, std::string_view text) {
  while (!text.empty()) {
    const auto end = std::find_if_not(text.begin(), text.end(), is_plain);
    out.append(text.begin(), end);
    text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
    if (text.empty()) return;
    const char c = text.front();
    if (c == '"' || c == '\\' || c == '?')  // no trigraphs
      add(out, "\\{}", c);
    else
      add(out, "\\{:03o}", static_cast<unsigned char>(c));
    text.remove_prefix(1);
  }
}

/// One literal a text; each ends in its own zero byte.
void add_strings(Out& out, std::string_view strings) {
  out.reserve(strings.size() + strings.size() / 4);
  add(out, "constexpr char kStrings[] =\n");
  while (!strings.empty()) {
    const std::string_view text = strings.substr(0, strings.find('\0'));
    out.append(std::string_view("    \""));
    add_escaped(out, text);
    out.append(std::string_view("\\0\"\n"));
    strings.remove_prefix(text.size() + 1);
  }
  add(out, "    ;\n\n");
}

/// Elements through `row`, which appends one initialiser. An array is never empty in C++: an unused
/// element stands in, and the count is written beside it.
template <class T, class Row>
void add_array(Out& out, std::string_view type, std::string_view name, const std::vector<T>& values,
               std::size_t per_line, Row row) {
  add(out, "constexpr std::size_t k{}Count = {};\n", name, values.size());
  add(out, "constexpr {} k{}[] = {{", type, name);
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.append(std::string_view(i % per_line == 0 ? "\n    " : " "));
    row(values[i]);
    out.push_back(',');
  }
  if (values.empty()) add(out, "{{}}");
  add(out, "\n}};\n\n");
}

void add_number(Out& out, std::uint64_t value) {
  const fmt::format_int digits(value);
  out.append(digits.data(), digits.data() + digits.size());
}

template <class T>
void add_numbers(Out& out, std::string_view type, std::string_view name,
                 const std::vector<T>& values) {
  add_array(out, type, name, values, kPerLine, [&](T value) { add_number(out, value); });
}

/// "{1,2,3}"
void add_row(Out& out, std::initializer_list<std::uint64_t> values) {
  char before = '{';
  for (const std::uint64_t value : values) {
    out.push_back(std::exchange(before, ','));
    add_number(out, value);
  }
  out.push_back('}');
}

void add_event_arrays(Out& out, const TableArrays& a) {
  add_numbers(out, "Text", "TermNames", a.term_names);
  add_array(out, "Term", "Terms", a.terms, 4, [&](const tables::Term& t) {
    add(out, "{{{:#x},{},{},Spelling{{{}}},{}}}", t.value, t.text, t.name,
        static_cast<int>(t.spelling), t.numeric);
  });
  add_numbers(out, "std::uint32_t", "TermLists", a.term_lists);
  add_array(out, "Event", "Events", a.events, 3, [&](const tables::Event& e) {
    add_row(out, {e.name, e.desc, e.long_desc, e.scale_unit, e.compat, e.topic, e.terms,
                  e.term_count, e.flags, 0});
  });
  add_numbers(out, "std::uint32_t", "Entries", a.entries);
  add_numbers(out, "std::uint16_t", "Slots", a.slots);
}

/// A number that C++ reads back as it was.
void add_double(Out& out, double value) {
  if (std::isnan(value))
    add(out, "__builtin_nan(\"\")");
  else
    add(out, "{:a}", value);
}

void add_metric_arrays(Out& out, const TableArrays& a) {
  add_array(out, "Metric", "Metrics", a.metrics, 2, [&](const tables::Metric& m) {
    add_row(out, {m.pmu, m.name, m.group, m.expr, m.threshold, m.desc, m.long_desc, m.unit,
                  m.compat, m.no_group, m.default_group, m.expr_program, m.threshold_program,
                  m.aggregation, m.constraint, 0});
  });
  add_numbers(out, "std::uint16_t", "MetricEntries", a.metric_entries);
  add_array(out, "Program", "Programs", a.programs, 4, [&](const tables::Program& p) {
    add_row(out, {p.first_step, p.first_number, p.first_symbol, p.step_count, p.number_count,
                  p.symbol_count, 0});
  });
  add_array(out, "metric::Step", "Steps", a.steps, kPerLine, [&](metric::Step step) {
    add(out, "{{Op{{{}}},{}}}", static_cast<int>(step.op), static_cast<int>(step.operand));
  });
  add_array(out, "double", "Numbers", a.numbers, kPerLine,
            [&](double number) { add_double(out, number); });
  add_array(out, "Symbol", "Symbols", a.symbols, 4, [&](const tables::Symbol& s) {
    add(out, "{{{},{},Kind{{{}}},0}}", s.name, s.size, static_cast<int>(s.kind));
  });
  add_numbers(out, "std::uint16_t", "SymbolLists", a.symbol_lists);
  add_array(out, "MetricGroup", "MetricGroups", a.metric_groups, 6,
            [&](const tables::MetricGroup& g) { add(out, "{{{},{}}}", g.name, g.desc); });
}

void add_model_arrays(Out& out, const TableArrays& a) {
  add_array(out, "PmuEvents", "Pmus", a.pmus, 4, [&](const tables::PmuEvents& p) {
    add_row(out, {p.pmu, p.first, p.count, p.generic_counters, p.fixed_counters});
  });
  add_array(out, "Model", "Models", a.models, 2, [&](const tables::Model& m) {
    add(out, "{{{},{},{},{},{},{},{},{}}}", m.name, m.first_pmu, m.pmu_count, m.first_slot,
        m.slot_count, m.first_metric, m.metric_count, m.flags);
  });
  add_array(out, "MapRow", "MapRows", a.map_rows, 4, [&](const tables::MapRow& r) {
    add(out, "{{{},{},{}}}", r.pattern, r.version, r.model);
  });
  add_array(out, "Counters", "Counters", a.counters, 4,
            [&](const tables::Counters& c) { add(out, "{{{:#x},{:#x}}}", c.generic, c.fixed); });
}

void add_function(Out& out, const TableArrays& a) {
  add(out, "}}  // namespace\n\nArchTables tables_{}() {{\n", identifier(a.arch));
  add(out, "  return {{\n      \"{}\",\n      {{kStrings, sizeof kStrings}},\n", a.arch);
  for (const char* name : {"TermNames", "Terms", "TermLists", "Events", "Entries", "Slots", "Pmus",
                           "Models", "MapRows", "Metrics", "MetricEntries", "Programs", "Steps",
                           "Numbers", "Symbols", "SymbolLists", "MetricGroups", "Counters"})
    add(out, "      {{k{0}, k{0}Count}},\n", name);
  add(out, "  }};\n}}\n\n}}  // namespace evname::tables\n");
}

constexpr std::string_view kFirstLine = "// Generated by evname-gen; do not edit.\n";

}  // namespace

std::vector<Out> emit_architecture(const TableArrays& arrays) {
  std::vector<Out> parts(5);
  add(parts[0], "{}#include \"tables/tables.hpp\"\n\nnamespace evname::tables {{\n", kFirstLine);
  add(parts[0], "ArchTables tables_{}();\n\nnamespace {{\n\n", identifier(arrays.arch));
  add(parts[0], "using Op = metric::Op;\nusing Kind = metric::SymbolKind;\n\n");
  parallel_for(4, core_count(), [&](std::size_t part) {
    if (part == 0) add_strings(parts[1], arrays.strings);
    if (part == 1) add_event_arrays(parts[2], arrays);
    if (part == 2) add_model_arrays(parts[3], arrays);
    if (part == 3) add_metric_arrays(parts[4], arrays);
  });
  add_function(parts[4], arrays);
  return parts;
}

Out emit_index(std::span<const std::string> architectures) {
  Out out;
  add(out, "{}#include \"tables/registry.hpp\"\n\nnamespace evname::tables {{\n\n", kFirstLine);
  for (const std::string& arch : architectures)
    add(out, "ArchTables tables_{}();\n", identifier(arch));
  add(out, "\nstd::size_t architecture_count() {{ return {}; }}\n\n", architectures.size());
  add(out, "ArchTables architecture(std::size_t index) {{\n  switch (index) {{\n");
  for (std::size_t i = 0; i < architectures.size(); ++i)
    add(out, "    case {}:\n      return tables_{}();\n", i, identifier(architectures[i]));
  add(out, "    default:\n      return {{}};\n  }}\n}}\n\n}}  // namespace evname::tables\n");
  return out;
}

}  // namespace evname::gen
