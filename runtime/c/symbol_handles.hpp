#pragma once
// What the opaque handles of symbols.h are.

#include <string>
#include <utility>
#include <vector>

#include "c/handles.hpp"
#include "evname/symbols.hpp"

struct evname_symbols {
  explicit evname_symbols(evname::SymbolOptions options) : symbols(std::move(options)) {}

  evname::Symbols symbols;
};
