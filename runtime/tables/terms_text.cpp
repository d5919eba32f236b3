#include "tables/lookup.hpp"

#include <fmt/format.h>

namespace evname::tables {

std::string term_text(const ArchTables& arch, const Term& term) {
  const std::string_view name = arch.text(arch.term_names[term.name]);
  switch (term.spelling) {
    case Spelling::bare:
      return std::string(name);
    case Spelling::text:
      return fmt::format("{}={}", name, arch.text(term.text));
    case Spelling::hex:
      if (term.value > 9) return fmt::format("{}={:#x}", name, term.value);
      [[fallthrough]];
    case Spelling::decimal:
      break;
  }
  return fmt::format("{}={}", name, term.value);
}

std::string terms_text(const ArchTables& arch, const Event& event) {
  std::string out;
  for (const std::uint32_t index : term_list(arch, event)) {
    if (!out.empty()) out += ',';
    out += term_text(arch, arch.terms[index]);
  }
  return out;
}

}  // namespace evname::tables
