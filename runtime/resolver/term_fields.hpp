#pragma once
// Where the terms of the tables go on one PMU.

#include <cstdint>
#include <vector>

#include "resolver/pack.hpp"

namespace evname::event {

/// pack() of the tables' events without a look at a name: made once for a PMU.
class TermFields {
 public:
  TermFields() = default;
  TermFields(const tables::ArchTables& arch, const pmu::Pmu& pmu);

  /// False where pack() has to say what is wrong, or to do something rarer than to fill in fields.
  bool pack(const tables::ArchTables& arch, const tables::Event& event, Words& words) const;

 private:
  enum class Use : std::uint8_t { unknown, field, config, period, nothing };
  struct Field {
    std::uint64_t mask = 0;
    Use use = Use::unknown;
    std::uint8_t word = 0;
    std::uint8_t shift = 0;
    std::uint8_t width = 0;  ///< 0: the mask has holes
  };

  static Field field_of(const pmu::Pmu& pmu, std::string_view term);
  static bool fill(const Field& field, std::uint64_t value, Words& words);

  std::vector<Field> fields_;  ///< by index into ArchTables::term_names
};

}  // namespace evname::event
