// Stands in for the generated tables if libpfm4's names are left out (-Dpfm4=false).
#include "events/pfm4/dictionary.hpp"

namespace evname::pfm4 {

const TableSizes kTableSizes{};
const Pmu kPmus[1]{};
const CpuRange kCpus[1]{};
const EventTable kTables[1]{};
const Event kEvents[1]{};
const std::uint16_t kSlots[1]{}, kPmuSlots[1]{};
const Mask kMasks[1]{};
const Traits kTraits[1]{};
const Preset kPresets[1]{};
const char kStrings[8]{};

}  // namespace evname::pfm4
