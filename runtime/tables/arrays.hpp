#pragma once
// The same arrays in memory: what the compiler fills, the generator writes out and event files read
// at run time are looked up in.

#include <string>
#include <utility>
#include <vector>

#include "tables/tables.hpp"

namespace evname::tables {

struct TableArrays {
  std::string arch;
  std::string strings = std::string(1, '\0');
#define ARRAY(Element, name) std::vector<Element> name;
  EVNAME_TABLE_ARRAYS(ARRAY)
#undef ARRAY

  TableArrays() : counters(1), latencies(1), programs(1) {}

  /// Valid while this object is neither changed nor moved.
  ArchTables view() const {
    ArchTables out;
    out.arch = arch;
    out.strings = strings;
#define ARRAY(Element, name) out.name = name;
    EVNAME_TABLE_ARRAYS(ARRAY)
#undef ARRAY
    return out;
  }
};

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
