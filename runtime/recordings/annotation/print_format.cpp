// Writes the text of tracepoints as perf does: pretty_print and print_str_arg of libtraceevent's
// event-parse.c.

#include "recordings/annotation/print_format.hpp"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

namespace evname::annotation {
namespace {

using perf_format::extended;
using perf_format::number_of;
using Op = PrintNode::Op;

constexpr std::size_t kLongestPrint = 1 << 16;  ///< bytes that a sample is written as

PrintValue cast_to_bits(PrintValue value, std::int64_t bits) {
  const auto size = static_cast<std::size_t>(bits < 0 ? -bits : bits);
  if (size >= 64) return {value.bits, bits > 0};
  const std::uint64_t low = value.whole() & ((1ull << size) - 1);
  return {bits < 0 ? extended(low, size / 8) : static_cast<std::int64_t>(low), false};
}

std::optional<PrintValue> print_field(const perf_format::TraceField& field, Bytes bytes,
                                      std::endian order) {
  if (bytes.empty()) return {};
  const std::uint64_t number = number_of(bytes, order);
  if (field.is_signed) return PrintValue{extended(number, bytes.size()), false};
  return PrintValue{static_cast<std::int64_t>(number), bytes.size() == 8};
}

void append_flags(const PrintNode& node, std::uint64_t value, std::string& out) {
  bool any = false;
  const auto add = [&](std::string_view name) {
    if (std::exchange(any, true)) out += node.text;
    out += name;
  };
  for (const auto& [bits, name] : node.names) {
    const auto mask = static_cast<std::uint64_t>(bits);
    if (mask == 0 || (value & mask) != mask) continue;
    add(name);
    value &= ~mask;
  }
  if (value != 0) add(fmt::format("0x{:x}", value));
}

void append_symbol(const PrintNode& node, std::int64_t value, std::string& out) {
  for (const auto& [number, name] : node.names)
    if (number == value) {
      out += name;
      return;
    }
  out += fmt::format("0x{:x}", static_cast<std::uint64_t>(value));
}

void append_number(const PrintPiece& piece, PrintValue value, std::string& out) {
  const auto bits = static_cast<std::int64_t>(piece.bits);
  const long long number = cast_to_bits(value, piece.conversion == 'd' ? -bits : bits).bits;
  char text[2 * kWidestPrint];
  const int size = std::snprintf(text, sizeof text, piece.spec.c_str(), number);
  out.append(text, static_cast<std::size_t>(std::max(size, 0)));
}

/// "%pS" and "%pF" print the offset in the function, "%ps" and "%pf" do not.
void append_pointer(const PrintPiece& piece, std::uint64_t value,
                    const PrintFormat::NameFunction& name, std::string& out) {
  const bool is_function = piece.conversion == 'f';
  const bool has_offset = piece.spec == "S" || piece.spec == "F";
  if (is_function && name && name(value, has_offset, out)) return;
  out += value == 0 && !is_function ? "(nil)" : fmt::format("0x{:x}", value);
}

std::uint32_t network_word(Bytes bytes, std::size_t at) {
  return static_cast<std::uint32_t>(number_of(bytes.subspan(at, 2), std::endian::big));
}

void append_ipv4(Bytes bytes, bool zeros, std::string& out) {
  for (std::size_t i = 0; i < 4; ++i)
    out += fmt::format("{}{:0{}}", i ? "." : "", bytes[i], zeros ? 3 : 1);
}

/// Appends the address with "::" for its longest run of zeros, and with its last four bytes as an
/// address of IPv4 if it stands for one (RFC 4291, RFC 5214).
void append_short_ipv6(Bytes bytes, std::string& out) {
  std::uint32_t words[8];
  for (std::size_t i = 0; i < 8; ++i) words[i] = network_word(bytes, 2 * i);
  const bool is_mapped = std::ranges::count(words, words + 5, 0u) == 5 && words[5] == 0xffff;
  const bool has_ipv4 = is_mapped || ((words[4] | 0x200) == 0x200 && words[5] == 0x5efe);
  const std::size_t size = has_ipv4 ? 6 : 8;
  std::size_t run = 0, longest = 1, begin = SIZE_MAX;
  for (std::size_t i = 0; i < size; ++i) {
    run = words[i] == 0 ? run + 1 : 0;
    if (run > longest) {
      longest = run;
      begin = i + 1 - run;
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (i == begin) {
      out += i == 0 ? "::" : ":";
      i += longest - 1;
    } else {
      out += fmt::format("{:x}{}", words[i], i + 1 < size || has_ipv4 ? ":" : "");
    }
  }
  if (has_ipv4) append_ipv4(bytes.subspan(12), false, out);
}

void append_ipv6(std::string_view kind, Bytes bytes, std::string& out) {
  if (kind.ends_with('c')) return append_short_ipv6(bytes, out);
  for (std::size_t i = 0; i < 8; ++i)
    out += fmt::format("{}{:04x}", i && kind != "i6" ? ":" : "", network_word(bytes, 2 * i));
}

/// Appends a struct sockaddr; nothing if its family is neither IPv4 nor IPv6.
bool append_socket(std::string_view kind, Bytes bytes, std::endian order, std::string& out) {
  constexpr std::uint64_t kIpv4 = 2, kIpv6 = 10;
  if (bytes.size() < 2) return false;
  const std::uint64_t family = number_of(bytes.first(2), order);
  const bool has_port = kind.find('p') != kind.npos, is_ipv6 = family == kIpv6;
  if (family != kIpv4 && !is_ipv6) return true;
  if (bytes.size() < (is_ipv6 ? 24u : 8u)) return false;
  if (is_ipv6) {
    out += has_port ? "[" : "";
    append_ipv6(kind, bytes.subspan(8), out);
    out += has_port ? "]" : "";
  } else {
    append_ipv4(bytes.subspan(4), false, out);
  }
  if (has_port) out += fmt::format(":{}", network_word(bytes, 2));
  return true;
}

/// Appends the address of a host. Returns false if the field is too short.
bool append_address(std::string_view kind, Bytes bytes, std::endian order, std::string& out) {
  if (kind.starts_with("IS")) return append_socket(kind, bytes, order, out);
  const bool is_ipv4 = kind.ends_with('4');
  if (bytes.size() < (is_ipv4 ? 4u : 16u)) return false;
  if (is_ipv4)
    append_ipv4(bytes, kind == "i4", out);
  else
    append_ipv6(kind, bytes, out);
  return true;
}

/// Truncates and pads the text in `out` from `begin` on.
void pad_print(const PrintPiece& piece, std::size_t begin, std::string& out) {
  if (out.size() - begin > piece.precision) out.resize(begin + piece.precision);
  const std::size_t size = out.size() - begin;
  if (size < piece.width) out.insert(piece.left ? out.size() : begin, piece.width - size, ' ');
}

}  // namespace

std::optional<PrintValue> PrintFormat::value(std::uint32_t node, std::string_view raw,
                                             std::endian order) const {
  const PrintNode& one = nodes[node];
  const auto of = [&](std::uint32_t part) { return value(part, raw, order); };
  if (one.op == Op::number) return one.value;
  if (one.op == Op::unknown || one.op == Op::bytes) return {};
  if (one.op == Op::field) {
    const perf_format::TraceField& field = format->fields[one.index];
    const Bytes bytes = bytes_of(field, raw, order);
    if (field.count == 0) return print_field(field, bytes, order);
    const auto at = of(one.a);
    const std::size_t size = field.size / field.count;
    if (!at || at->whole() >= field.count || bytes.size() < field.size) return {};
    return print_field(field, bytes.subspan(static_cast<std::size_t>(at->whole()) * size, size),
                       order);
  }
  const auto first = of(one.a);
  if (!first) return {};
  if (one.op == Op::cast) return cast_to_bits(*first, one.value.bits);
  if (one.op == Op::choose) return of(first->bits != 0 ? one.b : one.c);
  if ((one.op == Op::both && first->bits == 0) || (one.op == Op::either && first->bits != 0))
    return PrintValue{first->bits != 0, false};
  const auto second = of(one.b);
  if (!second) return {};
  return one.op == Op::binary ? one.compute(*first, *second) : PrintValue{second->bits != 0, false};
}

bool PrintFormat::text(std::uint32_t node, std::string_view raw, std::endian order,
                       std::string& out) const {
  const PrintNode& one = nodes[node];
  if (one.op == Op::text) {
    out += one.text;
  } else if (one.op == Op::field_text) {
    const Bytes bytes = bytes_of(format->fields[one.index], raw, order);
    if (bytes.empty()) return false;
    out += Cursor::until_nul(bytes);
  } else {
    const auto of = value(one.a, raw, order);
    if (!of) return false;
    if (one.op == Op::choose) return text(of->bits != 0 ? one.b : one.c, raw, order, out);
    one.op == Op::flags ? append_flags(one, of->whole(), out) : append_symbol(one, of->bits, out);
  }
  return out.size() <= kLongestPrint;
}

bool PrintFormat::write(std::string_view raw, bool big_endian, std::string& out,
                        const NameFunction& name) const {
  out.clear();
  if (empty()) return false;
  const std::endian order = big_endian ? std::endian::big : std::endian::little;
  for (const PrintPiece& piece : pieces) {
    out += piece.text;
    const std::size_t begin = out.size();
    if (piece.conversion == 's') {
      if (!text(piece.node, raw, order, out)) return false;
      pad_print(piece, begin, out);
    } else if (piece.conversion == 'a') {
      const PrintNode& field = nodes[piece.node];
      const Bytes bytes = bytes_of(format->fields[field.index], raw, order);
      if (!append_address(piece.spec, bytes, order, out)) return false;
      pad_print(piece, begin, out);
    } else if (piece.conversion != 0) {
      const auto number = value(piece.node, raw, order);
      if (!number) return false;
      const bool is_address = piece.conversion == 'p' || piece.conversion == 'f';
      if (is_address)
        append_pointer(piece, number->whole(), name, out);
      else if (piece.conversion == 'c')
        out += static_cast<char>(number->bits);
      else
        append_number(piece, *number, out);
      if (is_address || piece.conversion == 'c') pad_print(piece, begin, out);
    }
    if (out.size() > kLongestPrint) return false;
  }
  return true;
}

}  // namespace evname::annotation
