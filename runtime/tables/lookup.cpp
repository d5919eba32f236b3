#include "tables/lookup.hpp"

#include <fmt/format.h>

#include "tables/registry.hpp"

namespace evname::tables {

std::optional<ArchTables> find_architecture(std::string_view arch) {
  for (std::size_t i = 0; i < architecture_count(); ++i)
    if (const ArchTables tables = architecture(i); tables.arch == arch) return tables;
  return std::nullopt;
}

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
