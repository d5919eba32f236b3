#include "perfdata/format/tracing_data.hpp"

#include "base/bytes.hpp"

namespace evname::perfdata {
namespace {

void read_formats(Cursor& in, std::string_view system, TracingData& tracing) {
  const std::uint32_t count = in.u32();
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    const std::uint64_t size = in.u64();
    if (auto format = parse_trace_format(system, in.text(size)))
      tracing.formats.push_back(std::move(*format));
  }
}

}  // namespace

bool read_tracing_data(Bytes blob, TracingData& tracing) {
  Cursor in(blob);
  if (in.text(10) != "\x17\x08\x44tracing") return false;
  tracing.version = std::string(in.line());
  tracing.big_endian = in.u8() != 0;
  in.set_order(tracing.big_endian ? std::endian::big : std::endian::little);
  tracing.long_size = in.u8();
  tracing.page_size = in.u32();
  for (std::string_view title : {"header_page", "header_event"}) {
    if (in.line() != title) return false;
    in.skip(in.u64());
  }
  read_formats(in, "ftrace", tracing);
  const std::uint32_t systems = in.u32();
  for (std::uint32_t i = 0; i < systems && in.ok(); ++i) {
    const std::string_view system = in.line();
    read_formats(in, system, tracing);
  }
  return in.ok();
}

}  // namespace evname::perfdata
