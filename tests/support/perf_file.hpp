#pragma once
// Builds small perf.data files and pipe streams of either byte order.

#include <array>
#include <map>
#include <vector>

#include "support/bytes_out.hpp"

namespace evname::test {

struct AttrSpec {
  std::uint32_t type = 0;
  std::uint64_t config = 0, config1 = 0, config2 = 0, config3 = 0, config4 = 0;
  std::uint64_t sample_type = 0, read_format = 0, branch_type = 0, period = 0;
  std::vector<int> flags = {18};  ///< little-endian bit numbers; 18: sample_id_all
  std::uint64_t regs_user = 0, regs_intr = 0;
  std::uint32_t bp_type = 0;
  std::uint32_t size = 136;
  std::vector<std::uint64_t> ids = {};
};

/// Returns the attr as a recorder of that byte order stores it (bit-fields start at the other end).
inline std::string attr_bytes(const AttrSpec& spec, std::endian order) {
  std::string flags(8, '\0');
  for (int bit : spec.flags)
    flags[bit / 8] = static_cast<char>(
        flags[bit / 8] | (order == std::endian::big ? 0x80 >> bit % 8 : 1 << bit % 8));
  BytesOut out(order);
  out.u32(spec.type).u32(spec.size).u64(spec.config).u64(spec.period).u64(spec.sample_type);
  out.u64(spec.read_format).raw(flags).u32(0).u32(spec.bp_type).u64(spec.config1).u64(spec.config2);
  out.u64(spec.branch_type).u64(spec.regs_user).u32(0).u32(0).u64(spec.regs_intr).pad(24);
  out.u64(spec.config3).u64(spec.config4).pad(spec.size > 144 ? spec.size - 144 : 0);
  return out.str().substr(0, spec.size);
}

class PerfFile {
 public:
  explicit PerfFile(std::endian order = std::endian::little) : order_(order), records_(order) {}

  std::uint64_t header_size = 104;
  std::uint64_t attr_entry = 0;  ///< 0: as the first attr needs
  bool unterminated = false;     ///< data size 0, no features

  BytesOut out() const { return BytesOut(order_); }
  PerfFile& event(const AttrSpec& spec) {
    events_.push_back(spec);
    return *this;
  }
  PerfFile& feature(int number, std::string_view content) {
    features_[number] = content;
    return *this;
  }
  PerfFile& record(std::uint32_t type, std::string_view body, std::uint16_t misc = 0) {
    records_.u32(type).u16(misc).u16(static_cast<std::uint16_t>(body.size() + 8)).raw(body);
    return *this;
  }
  PerfFile& raw(std::string_view bytes) {
    records_.raw(bytes);
    return *this;
  }
  const std::string& records() const { return records_.str(); }

  std::string file() const {
    BytesOut ids(order_), attrs(order_), table(order_), contents(order_);
    for (const AttrSpec& spec : events_) {
      attrs.raw(attr_bytes(spec, order_)).u64(header_size + ids.size()).u64(spec.ids.size() * 8);
      for (std::uint64_t id : spec.ids) ids.u64(id);
    }
    const std::uint64_t attrs_at = header_size + ids.size(), data_at = attrs_at + attrs.size();
    const std::uint64_t table_at = data_at + records_.size();
    std::array<std::uint64_t, 4> bits{};
    for (const auto& [number, content] : features_) {
      bits[number / 64] |= std::uint64_t{1} << number % 64;
      table.u64(table_at + features_.size() * 16 + contents.size()).u64(content.size());
      contents.raw(content);
    }
    const std::uint64_t entry = attr_entry        ? attr_entry
                                : events_.empty() ? 152
                                                  : events_[0].size + 16;
    BytesOut out(order_);
    out.u64(0x32454c4946524550).u64(header_size).u64(entry).u64(attrs_at).u64(attrs.size());
    out.u64(data_at).u64(unterminated ? 0 : records_.size()).u64(0).u64(0);
    if (header_size >= 104) {
      for (const std::uint64_t word : bits) out.u64(word);
      out.pad(header_size - 104);
    }
    out.raw(ids.str()).raw(attrs.str()).raw(records_.str());
    if (!unterminated && header_size >= 104) out.raw(table.str()).raw(contents.str());
    return out.str();
  }

  /// Returns the same as `perf record -o -` would write it.
  std::string pipe() const {
    PerfFile stream(order_);
    for (const AttrSpec& spec : events_) {
      BytesOut body(order_);
      body.raw(attr_bytes(spec, order_));
      for (std::uint64_t id : spec.ids) body.u64(id);
      stream.record(64, body.str());
    }
    for (const auto& [number, content] : features_)
      stream.record(80, out().u64(static_cast<std::uint64_t>(number)).raw(content).str());
    return out().u64(0x32454c4946524550).u64(16).raw(stream.records()).raw(records()).str();
  }

 private:
  std::endian order_;
  std::vector<AttrSpec> events_;
  std::map<int, std::string> features_;
  BytesOut records_;
};

}  // namespace evname::test
