// Stands in for the generated tables if libpfm4's names are left out (-Dpfm4=false).
#include "events/pfm4/dictionary.hpp"

namespace evname::pfm4 {

const Dictionary& dictionary() {
  static constexpr Dictionary none{};
  return none;
}

}  // namespace evname::pfm4
