#pragma once
// The print format of a tracepoint: the kernel's own text of its fields.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perf_format/trace_data.hpp"

namespace evname::annotation {

/// A value of C: 64 bits with a sign or without.
struct PrintValue {
  std::int64_t bits = 0;
  bool is_unsigned = false;

  std::uint64_t whole() const { return static_cast<std::uint64_t>(bits); }
};

/// An expression; `a`, `b` and `c` are indexes of nodes.
struct PrintNode {
  enum class Op : std::uint8_t {
    number,      ///< `value`
    unknown,     ///< a constant that the format does not define
    field,       ///< the field `index`; its element at `a` if it is an array
    binary,      ///< the result of `compute` for `a` and `b`; nullopt if it fails
    both,        ///< a && b
    either,      ///< a || b
    cast,        ///< the low `value` bits of `a`; below 0: with a sign
    choose,      ///< a ? b : c
    text,        ///< `text`
    field_text,  ///< the characters of the field `index`
    flags,       ///< the names of the bits of `a`, with `text` between them
    symbol,      ///< the name of the value of `a`
    bytes,       ///< the field `index` as it is, for the address of a host
  };
  using Compute = std::optional<PrintValue> (*)(PrintValue a, PrintValue b);

  Op op = Op::number;
  std::uint32_t a = 0, b = 0, c = 0;
  std::uint32_t index = 0;
  std::uint32_t depth = 1;
  PrintValue value = {};
  Compute compute = nullptr;
  std::string text = {};
  std::vector<std::pair<std::int64_t, std::string>> names = {};  ///< of flags and symbols
};

/// A text, and the conversion after it.
struct PrintPiece {
  std::string text;
  char conversion = 0;  ///< one of "duxXocsp", 'f' for "%pf" and "%ps", 'a' for "%pI4" and
                        ///< the like; 0: there is none
  std::string spec;     ///< of an integer, for snprintf: "%-5llx"; of 'a' "I4"; of 'f' "S"
  bool left = false;
  std::uint32_t width = 0;
  std::uint32_t precision = UINT32_MAX;
  std::uint32_t bits = 32;  ///< of an integer
  std::uint32_t node = 0;
};

/// A print format as a list of conversions and of the expressions whose values they print. It knows
/// integers, fields, strings, `__print_flags`, `__print_symbolic` and the like; a format with
/// anything else is not parsed. Size, depth and output are limited, so that hostile recordings take
/// a bounded time. Any number of threads may use an object.
struct PrintFormat {
  const perf_format::TraceFormat* format = nullptr;
  std::vector<PrintNode> nodes = {};
  std::vector<PrintPiece> pieces = {};

  /// Parses TraceFormat::print. `long_size`: of the recorder, in bytes. The object is empty if it
  /// can't be parsed. The format outlives it.
  static PrintFormat parse(const perf_format::TraceFormat& format, std::uint32_t long_size);

  bool empty() const { return pieces.empty(); }
  /// Returns true if it prints functions of the kernel (%ps, %pS).
  bool names_functions() const {
    return std::ranges::any_of(pieces, [](const PrintPiece& one) { return one.conversion == 'f'; });
  }
  /// Appends the function at an address of the kernel, with the address's offset in it if asked
  /// for. Returns false if there is none.
  using NameFunction = std::function<bool(std::uint64_t address, bool offset, std::string& out)>;
  /// Sets `out` to the text of a sample. Returns false if the sample lacks a field, the text would
  /// be too long, or the object is empty. `name` may be empty: addresses are printed then.
  bool write(std::string_view raw, bool big_endian, std::string& out,
             const NameFunction& name = {}) const;

  /// Returns the value of a node; nullopt if the sample lacks a field.
  std::optional<PrintValue> value(std::uint32_t node, std::string_view raw,
                                  std::endian order) const;
  /// Appends the text of a node. Returns false if it is missing or too long.
  bool text(std::uint32_t node, std::string_view raw, std::endian order, std::string& out) const;
};

/// The most columns of a conversion.
inline constexpr std::uint32_t kWidestPrint = 255;

/// Splits a text into pieces, each with the conversion at its end. `long_bits` is the size of a
/// long of the recorded machine. Returns false for an unknown conversion.
bool read_conversions(std::string_view text, std::uint32_t long_bits,
                      std::vector<PrintPiece>& pieces);

inline bool is_print_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace evname::annotation
