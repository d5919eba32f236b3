// Placeholder until the generator lands in the next commits.
#include "tables/registry.hpp"
namespace evname::tables {
std::size_t architecture_count() { return 0; }
ArchTables architecture(std::size_t) { return {}; }
}  // namespace evname::tables
