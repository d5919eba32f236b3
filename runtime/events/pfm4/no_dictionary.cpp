// Stands in for the generated tables if libpfm4's names are left out (-Dpfm4=false).
#include "events/pfm4/dictionary.hpp"

namespace evname::pfm4 {

Dictionary dictionary() { return {}; }

}  // namespace evname::pfm4
