#include "events/tables/model_view.hpp"

#include <charconv>

namespace evname::tables {
namespace {

void append_number(std::string& out, std::uint64_t value, int base) {
  char digits[20];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, value, base).ptr);
}

void append_term(std::string& out, const ArchTables& arch, const Term& term) {
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

std::string term_text(const ArchTables& arch, const Term& term) {
  std::string out;
  append_term(out, arch, term);
  return out;
}

std::string terms_text(const ArchTables& arch, const Event& event) {
  std::string out;
  for (const std::uint32_t index : term_list(arch, event)) {
    if (!out.empty()) out += ',';
    append_term(out, arch, arch.terms[index]);
  }
  return out;
}

}  // namespace evname::tables
