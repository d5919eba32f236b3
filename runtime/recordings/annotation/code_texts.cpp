#include "recordings/annotation/code_texts.hpp"

#include <elf.h>

#include <algorithm>

#include "recordings/instructions/known_length.hpp"

namespace evname::annotation {
namespace {

/// The bytes that a piece is kept with: its kind, which is of plain numbers, then its code.
constexpr std::size_t kKindBytes = 5;

std::vector<std::uint8_t> kept(const elf::CodePiece& piece) {
  const elf::CodeKind& kind = piece.kind;
  std::vector<std::uint8_t> out = {static_cast<std::uint8_t>(kind.machine),
                                   static_cast<std::uint8_t>(kind.machine >> 8), kind.wide,
                                   kind.big_endian, kind.thumb};
  out.insert(out.end(), piece.bytes.begin(), piece.bytes.end());
  return out;
}

CodeBytes code_of(std::span<const std::uint8_t> kept) {
  CodeBytes code;
  code.kind.machine = static_cast<std::uint16_t>(kept[0] | kept[1] << 8);
  code.kind.wide = kept[2] != 0;
  code.kind.big_endian = kept[3] != 0;
  code.kind.thumb = kept[4] != 0;
  code.bytes = kept.subspan(kKindBytes);
  return code;
}

}  // namespace

CodeBytes CodeTexts::read(const Sample& sample, Address address, std::size_t size,
                          locations::LocationCache& locations) {
  return code_of(pieces_.of(locations.place(sample, address), static_cast<std::uint32_t>(size),
                            [&] { return kept(locations.code(sample, address, size)); }));
}

std::size_t CodeTexts::length(const CodeBytes& code, std::uint64_t address) {
  if (code.bytes.empty()) return 0;
  if (code.kind.machine == EM_X86_64 && code.kind.wide)
    return instructions::x86_length({code.bytes.data(), code.bytes.size()}).size;
  const auto decoded = decode(code, address);
  return decoded ? decoded->size : 0;
}

std::optional<instructions::Decoded> CodeTexts::decode(const CodeBytes& code,
                                                       std::uint64_t address) {
  if (code.bytes.empty()) return std::nullopt;
  auto at = std::ranges::find(decoders_, code.kind, [](const auto& one) { return one.first; });
  if (at == decoders_.end())
    at = decoders_.emplace(decoders_.end(), code.kind, instructions::Decoder::of(code.kind, true));
  if (!at->second) return std::nullopt;
  instructions::Decoded decoded = at->second->decode(code.bytes, address);
  if (decoded.text.starts_with('.')) return std::nullopt;  // data
  return decoded;
}

}  // namespace evname::annotation
