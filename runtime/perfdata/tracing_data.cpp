#include "perfdata/tracing_data.hpp"

#include <algorithm>
#include <charconv>

#include "base/cursor.hpp"

namespace evname::perfdata {
namespace {

using Tracepoints = std::vector<std::pair<std::uint64_t, std::string>>;

// The rest of the line after `key` at the start of a line; empty if there is none.
std::string_view field(std::string_view text, std::string_view key) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(key)) return line.substr(key.size());
    at = end + 1;
  }
  return {};
}

void add_format(std::string_view system, std::string_view text, Tracepoints& out) {
  const std::string_view name = field(text, "name: "), number = field(text, "ID: ");
  std::uint64_t id = 0;
  const auto parsed = std::from_chars(number.data(), number.data() + number.size(), id);
  if (name.empty() || parsed.ec != std::errc{}) return;
  out.emplace_back(id, std::string(system) + ':' + std::string(name));
}

void read_formats(Cursor& in, std::string_view system, Tracepoints& out) {
  const std::uint32_t count = in.u32();
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    const std::uint64_t size = in.u64();
    add_format(system, in.text(size), out);
  }
}

}  // namespace

bool read_tracepoints(Bytes blob, Tracepoints& tracepoints) {
  Cursor in(blob);
  if (in.text(10) != "\x17\x08\x44tracing") return false;
  in.line();  // version
  in.set_order(in.u8() != 0 ? std::endian::big : std::endian::little);
  in.skip(1 + 4);  // size of long, page size
  for (std::string_view title : {"header_page", "header_event"}) {
    if (in.line() != title) return false;
    in.skip(in.u64());
  }
  read_formats(in, "ftrace", tracepoints);
  const std::uint32_t systems = in.u32();
  for (std::uint32_t i = 0; i < systems && in.ok(); ++i) {
    const std::string_view system = in.line();
    read_formats(in, system, tracepoints);
  }
  return in.ok();
}

}  // namespace evname::perfdata
