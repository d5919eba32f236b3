#pragma once
// Makes dumps of JIT compilers: tools/perf/Documentation/jitdump-specification.txt of Linux.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "support/bytes_out.hpp"

namespace evname::test {

class Jitdump {
 public:
  static constexpr std::uint64_t kCounterTimes = 1;  // JITDUMP_FLAGS_ARCH_TIMESTAMP

  explicit Jitdump(std::uint64_t flags = 0, std::endian order = std::endian::little,
                   std::uint32_t version = 1, std::uint32_t unused = 0)
      : order_(order), out_(order) {
    out_.u32(0x4a695444).u32(version).u32(40).u32(62).u32(unused).u32(1).u64(2).u64(flags);
  }

  Jitdump& load(std::uint64_t time, std::string_view name, std::uint64_t address,
                std::uint64_t size, std::uint64_t index = 0) {
    BytesOut body(order_);
    body.u32(1).u32(1).u64(address).u64(address).u64(size).u64(index);
    body.raw(name).u8(0).pad(size < 64 ? size : 0);  // a huge one is a claim
    return record(0, time, body.str());
  }
  Jitdump& move(std::uint64_t time, std::uint64_t from, std::uint64_t to, std::uint64_t size,
                std::uint64_t index) {
    return record(
        1, time,
        BytesOut(order_).u32(1).u32(1).u64(to).u64(from).u64(to).u64(size).u64(index).str());
  }
  Jitdump& close(std::uint64_t time) { return record(3, time, ""); }

  struct Line {
    std::uint64_t address;
    std::uint32_t line;
    std::string_view file;
  };
  Jitdump& lines(std::uint64_t address, std::span<const Line> lines) {
    BytesOut body(order_);
    body.u64(address).u64(lines.size());
    for (const Line& line : lines)
      body.u64(line.address).u32(line.line).u32(0).raw(line.file).u8(0);
    return record(2, 0, body.str());
  }
  /// Of the table and the header that follows it.
  Jitdump& unwinding(std::string_view table, std::string_view header) {
    BytesOut body(order_);
    body.u64(table.size() + header.size()).u64(header.size()).u64(0).raw(table).raw(header);
    return record(4, 0, body.str());
  }
  Jitdump& record(std::uint32_t type, std::uint64_t time, std::string_view body) {
    out_.u32(type).u32(static_cast<std::uint32_t>(16 + body.size())).u64(time).raw(body);
    return *this;
  }

  const std::string& str() const { return out_.str(); }

 private:
  std::endian order_;
  BytesOut out_;
};

}  // namespace evname::test
