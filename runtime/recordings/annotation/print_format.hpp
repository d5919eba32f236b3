#pragma once
// The print format of a tracepoint: the kernel's own text of its fields.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "evname/features.hpp"

namespace evname::annotation {

/// A print format as a list of conversions and of the expressions whose values they print. It knows
/// integers, fields, strings, `__print_flags`, `__print_symbolic` and the like; a format with
/// anything else is not parsed. Size, depth and output are limited, so that hostile recordings take
/// a bounded time. Any number of threads may use an object.
class PrintFormat {
 public:
  struct Tree;

  /// Parses TraceFormat::print. `long_size`: of the recorder, in bytes. The object is empty if it
  /// can't be parsed. The format outlives it.
  static PrintFormat parse(const perf_format::TraceFormat& format, std::uint32_t long_size);

  bool empty() const { return tree_ == nullptr; }
  /// Returns true if it prints functions of the kernel (%ps, %pS).
  bool names_functions() const;
  /// Appends the function at an address of the kernel, with the address's offset in it if asked
  /// for. Returns false if there is none.
  using NameFunction = std::function<bool(std::uint64_t address, bool offset, std::string& out)>;
  /// Sets `out` to the text of a sample. Returns false if the sample lacks a field, the text would
  /// be too long, or the object is empty. `name` may be empty: addresses are printed then.
  bool write(std::string_view raw, bool big_endian, std::string& out,
             const NameFunction& name = {}) const;

 private:
  std::shared_ptr<const Tree> tree_;
};

}  // namespace evname::annotation
