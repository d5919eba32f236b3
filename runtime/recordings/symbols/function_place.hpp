#pragma once
// A function in a file, or in the memory of a JIT compiler, whatever is mapped.

#include <cstdint>
#include <memory>
#include <tuple>

namespace evname::symbols {

class SymbolFile;

/// A function that SymbolFile reads the code of.
struct FunctionPlace {
  std::shared_ptr<SymbolFile> file = {};  ///< nullptr: none is known
  ///@{
  /// By the file's symbols. `end` is `start` if the size is unknown.
  std::uint64_t start = 0, end = 0;
  ///@}
  std::uint64_t code = 0;  ///< see KnownCode::number()

  auto key() const { return std::tuple(file.get(), start, code); }
  bool operator==(const FunctionPlace& other) const { return key() == other.key(); }
};

}  // namespace evname::symbols
