#pragma once
// Builds what simpleperf writes into a perf.data. Layouts: record_file_format.h and
// record_file.proto of system/extras/simpleperf.

#include <optional>
#include <string>
#include <vector>

#include "support/bytes_out.hpp"

namespace evname::test {

/// DsoType of dso.h.
enum SimpleperfKind : std::uint32_t { kOfKernel, kOfModule, kOfElf, kOfDex, kOfSymbolMap };

struct SimpleperfFunction {
  std::uint64_t start = 0;
  std::uint32_t size = 0;
  std::string name;
};

struct SimpleperfFile {
  std::string path;
  SimpleperfKind kind = kOfElf;
  std::uint64_t first_address = 0;
  std::optional<std::uint64_t> first_place;  ///< of that address in the file
  std::vector<SimpleperfFunction> functions;
};

/// Returns the feature FILE.
inline std::string file_list(std::endian order, const std::vector<SimpleperfFile>& files) {
  BytesOut out(order);
  for (const SimpleperfFile& file : files) {
    BytesOut entry(order);
    entry.raw(file.path).pad(1).u32(file.kind).u64(file.first_address);
    entry.u32(static_cast<std::uint32_t>(file.functions.size()));
    for (const auto& [start, size, name] : file.functions)
      entry.u64(start).u32(size).raw(name).pad(1);
    if (file.kind == kOfDex) entry.u32(1).u64(0x28);
    if (file.first_place) entry.u64(*file.first_place);
    out.u32(static_cast<std::uint32_t>(entry.size())).raw(entry.str());
  }
  return out.str();
}

inline std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
inline std::string number_field(unsigned number, std::uint64_t value) {
  return varint(number << 3) + varint(value);
}
inline std::string bytes_field(unsigned number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}

/// Returns the feature FILE2.
inline std::string file_messages(std::endian order, const std::vector<SimpleperfFile>& files) {
  BytesOut out(order);
  for (const SimpleperfFile& file : files) {
    std::string message = bytes_field(1, file.path) + number_field(2, file.kind) +
                          number_field(3, file.first_address);
    for (const auto& [start, size, name] : file.functions)
      message +=
          bytes_field(4, number_field(1, start) + number_field(2, size) + bytes_field(3, name));
    if (file.kind == kOfDex) message += bytes_field(5, number_field(1, 0x28));
    if (file.first_place)
      message += bytes_field(file.kind == kOfModule ? 7 : 6, number_field(1, *file.first_place));
    out.u32(static_cast<std::uint32_t>(message.size())).raw(message);
  }
  return out.str();
}

}  // namespace evname::test
