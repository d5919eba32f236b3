#include "events/tables/model_view.hpp"

#include <charconv>

namespace evname::tables {
namespace {

void append_number(std::string& out, std::uint64_t value, int base) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value, base).ptr);
}

void append_term(std::string& out, const ArchTables& arch, const StoredTerm& term) {
  out += arch.text(arch.term_names[term.name]);
  if (term.spelling == Spelling::bare) return;
  out += '=';
  if (term.spelling == Spelling::text) {
    out += arch.text(term.text);
  } else if (term.spelling == Spelling::hex && term.value > 9) {
    out += "0x";
    append_number(out, term.value, 16);
  } else {
    append_number(out, term.value, 10);
  }
}

}  // namespace

bool has_event(std::span<const ModelView> models, std::string_view pmu, std::string_view name) {
  bool found = false;
  for (const ModelView& model : models)
    find_event(model, name, [&](const EventHit& hit) {
      found = found || model.arch().text(hit.pmu->pmu) == pmu;
    });
  return found;
}

Term term_of(const ArchTables& arch, const StoredTerm& stored) {
  using Value = Term::Value;
  const std::string_view name = arch.text(arch.term_names[stored.name]);
  if (stored.spelling == Spelling::bare) return {name};
  const std::string_view text = arch.text(stored.text);
  if (stored.spelling == Spelling::text && stored.numeric == 0) return {name, Value::text, 0, text};
  return {.name = name,
          .value = Value::number,
          .number = stored.value,
          .text = text,
          .is_decimal = stored.spelling == Spelling::decimal};
}

std::string terms_text(const ArchTables& arch, const Event& event) {
  std::string out;
  for (const std::uint32_t index : term_list(arch, event)) {
    if (!out.empty()) out += ',';
    append_term(out, arch, arch.terms[index]);
  }
  return out;
}

expression::Program program_of(const ArchTables& arch, const Program& program) {
  const expression::Code code = code_of(arch, program);
  expression::Program out;
  out.steps.assign(code.steps.begin(), code.steps.end());
  out.numbers.assign(code.numbers.begin(), code.numbers.end());
  for (const std::uint16_t index : symbols_of(arch, program)) {
    const Symbol& symbol = arch.symbols[index];
    out.symbols.push_back({symbol.kind, std::string(name_of(arch, symbol))});
  }
  return out;
}

}  // namespace evname::tables
