#include "perf_format/file_header.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/bytes.hpp"

namespace evname::perf_format {
namespace {

constexpr std::uint64_t kSaneHeader = 1 << 16;
constexpr std::string_view kCutOff = "is 0: was `perf record` terminated properly?";

// "PERFFILE" (perf before 3.0) has no byte order; the header's size, a small number, shows it.
std::optional<std::endian> byte_order(Bytes file) {
  constexpr std::endian kOrders[] = {std::endian::little, std::endian::big};
  for (const std::endian order : kOrders)
    if (load<std::uint64_t>(file.data(), order) == kMagicNumber) return order;
  if (std::string_view(reinterpret_cast<const char*>(file.data()), 8) != "PERFFILE")
    return std::nullopt;
  for (const std::endian order : kOrders) {
    const auto size = load<std::uint64_t>(file.data() + 8, order);
    if (size >= kPipeHeader && size <= kSaneHeader) return order;
  }
  return std::nullopt;
}

// The bitmap is an array of the recorder's `unsigned long`. It differs from 64-bit words only for a
// 32-bit big-endian recorder, which fills the first half of the first word.
std::bitset<256> read_features(Cursor& in, bool& narrow) {
  std::uint32_t halves[8];
  for (auto& half : halves) half = in.u32();
  const bool swapped =
      in.order() == std::endian::big && std::popcount(halves[1]) >= std::popcount(halves[0]);
  narrow = !swapped && in.order() == std::endian::big;
  std::bitset<256> bits;
  for (std::size_t i = 0; i < 8; ++i) {
    const std::uint32_t half = halves[swapped ? i ^ 1 : i];
    for (std::size_t bit = 0; bit < 32; ++bit) bits[i * 32 + bit] = half >> bit & 1;
  }
  return bits;
}

// Returns true if a whole table of sections that lie in the file starts at `offset`.
bool is_feature_table(Bytes file, const Header& header, std::uint64_t offset) {
  const std::uint64_t count = header.features.count();
  if (count == 0 || !Section{offset, count * 16}.inside(file.size())) return false;
  Cursor in(file.subspan(offset), header.order);
  for (std::uint64_t i = 0; i < count; ++i) {
    const Section section{in.u64(), in.u64()};
    if (section.offset < offset || !section.inside(file.size())) return false;
  }
  return true;
}

void place_data(Bytes file, Header& header, Warnings& warnings) {
  Section& data = header.data;
  if (data.offset > file.size()) {
    warnings.add(
        40, fmt::format("data section starts at {:#x}, past the end of the file", data.offset));
    data = {file.size(), 0};
    return;
  }
  const std::uint64_t rest = file.size() - data.offset;
  const bool is_cut = data.size == 0 && !is_feature_table(file, header, data.offset);
  if (data.size == 0)
    warnings.add(
        48, fmt::format(
                "the data size {}{}", kCutOff,
                is_cut && rest > 0 ? " What follows is read as records, without features" : ""));
  if (is_cut) {
    data.size = rest;
  } else if (data.size > rest) {
    warnings.add(48, fmt::format("data section of {} bytes is cut to the {} that are there",
                                 data.size, rest));
    data.size = rest;
  } else {
    header.feature_table = data.offset + data.size;
  }
}

void check_layout(const Header& header, Warnings& warnings) {
  const Section &attrs = header.attrs, &data = header.data;
  if (header.size != kSmallHeader && header.size != kFileHeader)
    warnings.add(8, fmt::format("unusual header size {}", header.size));
  if (header.size > attrs.offset || header.size > data.offset)
    warnings.add(24, "header overlaps the attrs or data section");
  if (attrs.offset < data.offset + data.size && data.offset < attrs.offset + attrs.size)
    warnings.add(24, "attrs and data sections overlap");
}

}  // namespace

Result<Header> read_start(Bytes file, const std::string& name) {
  if (file.empty()) return fail(Errc::corrupt, "file is empty", name);
  if (file.size() < kPipeHeader)
    return fail(Errc::corrupt,
                fmt::format("not a perf.data file (it has only {} bytes)", file.size()), name);
  const auto order = byte_order(file);
  if (!order)
    return fail(Errc::corrupt, "not a perf.data file (unknown magic)", name + "@0",
                "`perf record` writes one", 0);
  Header header;
  header.order = *order;
  header.size = load<std::uint64_t>(file.data() + 8, *order);
  header.pipe = header.size == kPipeHeader;
  if (!header.pipe && (header.size < kSmallHeader || header.size > kSaneHeader))
    return fail(Errc::corrupt, fmt::format("header size is {}, not 104 or 72", header.size),
                name + "@8", {}, 8);
  return header;
}

Result<Header> read_header(Bytes file, const std::string& name, Warnings& warnings) {
  auto start = read_start(file, name);
  if (!start || start->pipe) return start;
  Header header = *start;
  Cursor in(file, header.order);
  in.skip(kPipeHeader);
  header.attr_size = in.u64();
  header.attrs = {in.u64(), in.u64()};
  header.data = {in.u64(), in.u64()};
  in.skip(16);  // event_types: unused since perf 3.0
  if (!in.ok())
    return fail(Errc::corrupt, fmt::format("header is cut off after {} bytes", file.size()), name);
  if (header.attr_size == 0) warnings.add(16, fmt::format("the attr size {}", kCutOff));
  if (header.size >= kFileHeader) header.features = read_features(in, header.narrow_bitmap);
  place_data(file, header, warnings);
  check_layout(header, warnings);
  return header;
}

}  // namespace evname::perf_format
