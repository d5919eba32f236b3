#include "perf_format/features.hpp"

#include <algorithm>

namespace evname::perf_format {
namespace {

/// The arrays that may follow a program, by their bits (enum perf_bpil_array_types of
/// tools/perf/util/bpf-utils.h).
enum Array : unsigned {
  kFunctionStarts = 3,
  kFunctionSizes = 4,
  kLines = 6,
  kLineStarts = 7,
  kTags = 8,
};

/// The members of struct bpf_prog_info of include/uapi/linux/bpf.h that are read here, by their
/// offsets. A member whose name ends with At is the offset of an array in the data after the
/// struct.
enum Member : unsigned {
  kId = 4,
  kTag = 8,
  kName = 64,
  kFunctionCount = 104,
  kSizeCount = 108,
  kFunctionsAt = 112,
  kSizesAt = 120,
  kBtfId = 128,
  kLineCount = 148,
  kLinesAt = 152,
  kLineStartsAt = 160,
  kLineStartCount = 168,
  kLineSize = 172,
  kLineStartSize = 176,
  kTagCount = 180,
  kTagsAt = 184,
};

class Program {
 public:
  Program(Bytes info, Bytes data, std::uint64_t arrays, std::endian order)
      : info_(info), data_(data), arrays_(arrays), order_(order) {}

  Cursor member(unsigned offset) const {
    return Cursor(info_.subspan(std::min<std::size_t>(offset, info_.size())), order_);
  }
  std::uint32_t number(unsigned offset) const { return member(offset).u32(); }

  /// Returns an array; empty if it is missing or truncated.
  Bytes array(Array kind, unsigned at, std::uint64_t count, std::uint64_t size) const {
    const std::uint64_t offset = member(at).u64();
    if ((arrays_ >> kind & 1) == 0 || offset > data_.size()) return {};
    return Cursor(data_.subspan(offset)).array(count, size);
  }

  std::vector<BpfFunction> functions() const {
    const std::uint32_t count = std::min(number(kFunctionCount), number(kTagCount));
    Cursor starts(array(kFunctionStarts, kFunctionsAt, count, 8), order_);
    Cursor sizes(array(kFunctionSizes, kSizesAt, std::min(count, number(kSizeCount)), 4), order_);
    Cursor tags(array(kTags, kTagsAt, count, 8), std::endian::big);
    std::vector<BpfFunction> out;
    while (starts.remaining() > 0 && tags.remaining() > 0)
      out.push_back({starts.u64(), tags.u64(), sizes.remaining() > 0 ? sizes.u32() : 0});
    return out;
  }

  /// struct bpf_line_info: instruction, offsets of file and text, line << 10 | column.
  std::vector<BpfLine> lines() const {
    const std::uint32_t count = std::min(number(kLineCount), number(kLineStartCount));
    const std::uint32_t size = number(kLineSize), start_size = number(kLineStartSize);
    const Bytes rows = array(kLines, kLinesAt, count, size),
                starts = array(kLineStarts, kLineStartsAt, count, start_size);
    std::vector<BpfLine> out;
    if (size < 16 || start_size < 8 || rows.empty() || starts.empty()) return out;
    for (std::size_t i = 0; i < count; ++i) {
      Cursor row(rows.subspan(i * size, size), order_);
      Cursor start(starts.subspan(i * start_size, start_size), order_);
      row.skip(4);
      const std::uint32_t source = row.u32();
      row.skip(4);
      out.push_back({start.u64(), source, row.u32() >> 10});
    }
    return out;
  }

 private:
  Bytes info_, data_;
  std::uint64_t arrays_;
  std::endian order_;
};

}  // namespace

BpfProgram read_bpf_program(Cursor& in) {
  BpfProgram out;
  out.info_size = in.u32();
  out.data_size = in.u32();
  const std::uint64_t arrays = in.u64();
  const Bytes info = in.bytes(out.info_size), data = in.bytes(out.data_size);
  const Program program(info, data, arrays, in.order());
  out.type = program.number(0);
  out.id = program.number(kId);
  const Bytes tag = program.member(kTag).bytes(8);
  if (tag.size() == 8) out.tag = load<std::uint64_t>(tag.data(), std::endian::big);
  out.name = std::string(program.member(kName).text(16));
  out.btf_id = program.number(kBtfId);
  out.functions = program.functions();
  out.lines = program.lines();
  return out;
}

// struct btf_header of include/uapi/linux/btf.h.
BpfBtf read_bpf_btf(Cursor& in) {
  constexpr std::uint16_t kMagic = 0xeb9f;
  BpfBtf out;
  out.id = in.u32();
  out.size = in.u32();
  const Bytes content = in.bytes(out.size);
  Cursor header(content, in.order());
  const bool is_btf = header.u16() == kMagic;
  header.skip(2);  // version, flags
  const std::uint64_t start = header.u32();
  header.skip(8);  // types
  const std::uint64_t offset = header.u32(), size = header.u32();
  if (!header.ok() || !is_btf || start + offset > content.size()) return out;
  const Bytes texts = content.subspan(start + offset);
  const Bytes whole = texts.first(std::min<std::uint64_t>(size, texts.size()));
  if (!whole.empty() && whole.back() == 0) out.texts.assign(whole.begin(), whole.end());
  return out;
}

}  // namespace evname::perf_format
