#pragma once
// The arrays of tables in memory. The compiler fills them, the generator writes them, and events of
// files read at run time are looked up in them.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "events/tables/tables.hpp"

namespace evname::tables {

struct TableArrays {
  std::string arch;
  std::string strings = std::string(1, '\0');
  std::string directory;
#define ARRAY(Element, name) std::vector<Element> name;
  EVNAME_TABLE_ARRAYS(ARRAY)
#undef ARRAY

  TableArrays();

  /// Returns views that are valid while this object is neither changed nor moved.
  ArchTables view() const;
};

/// Enters the names of a model whose entries are the last of the arrays. See tables.hpp.
void add_slots(TableArrays& arrays, std::uint32_t first_entry, Model& model);

/// Finished arrays with the views that a ModelView points to.
class OwnedTables {
 public:
  explicit OwnedTables(TableArrays arrays) : arrays_(std::move(arrays)), view_(arrays_.view()) {}
  OwnedTables(const OwnedTables&) = delete;
  OwnedTables& operator=(const OwnedTables&) = delete;

  const ArchTables& view() const { return view_; }

 private:
  const TableArrays arrays_;
  const ArchTables view_;
};

}  // namespace evname::tables
