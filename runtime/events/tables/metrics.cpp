#include "events/tables/metrics.hpp"

namespace evname::tables {

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
