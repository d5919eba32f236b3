#include "sampling/tracing_files.hpp"

#include <bit>
#include <map>
#include <set>
#include <string_view>

#include "base/bytes.hpp"
#include "base/read_file.hpp"
#include "evname/attr.hpp"
#include "sampling/ring.hpp"

namespace evname::sampling {
namespace {

constexpr std::size_t kMostFormatText = 16 << 20;

/// The content of a file with its size before it, as u64 or u32.
template <class Size>
void put_file(ByteWriter& out, const std::string& path) {
  const auto text = read_head(path, kMostFormatText);
  const std::string content = text ? *text : std::string();
  sizeof(Size) == 8 ? out.u64(content.size()) : out.u32(static_cast<std::uint32_t>(content.size()));
  out.raw(content);
}

/// The names of events by their systems.
using Systems = std::map<std::string, std::set<std::string>>;

Systems systems_of(std::span<const Encoding> events) {
  Systems out;
  for (const Encoding& event : events) {
    const auto colon = event.name.find(':');
    if (event.code.type != kTypeTracepoint || event.code.has_type == 0 || colon == event.name.npos)
      continue;
    out[std::string(event.name.substr(0, colon))].emplace(event.name.substr(colon + 1));
  }
  return out;
}

void put_system(ByteWriter& out, const std::string& directory,
                const std::set<std::string>& events) {
  out.u32(static_cast<std::uint32_t>(events.size()));
  for (const std::string& event : events)
    put_file<std::uint64_t>(out, directory + "/" + event + "/format");
}

}  // namespace

std::string tracing_data_of(std::span<const Encoding> events, const Roots& roots) {
  Systems systems = systems_of(events);
  if (systems.empty()) return {};
  std::string root = roots.sysfs + "/kernel/tracing";
  if (!is_directory(root + "/events")) root = roots.sysfs + "/kernel/debug/tracing";
  ByteWriter out(std::endian::native);
  const auto put_line = [&](std::string_view text) {
    out.raw(text);
    out.zeros(1);
  };
  out.raw("\x17\x08\x44tracing");
  put_line("0.6");
  const char order[] = {std::endian::native == std::endian::big, sizeof(long)};
  out.raw(std::string_view(order, sizeof order));
  out.u32(static_cast<std::uint32_t>(memory_page()));
  put_line("header_page");
  put_file<std::uint64_t>(out, root + "/events/header_page");
  put_line("header_event");
  put_file<std::uint64_t>(out, root + "/events/header_event");
  put_system(out, root + "/events/ftrace", systems["ftrace"]);
  systems.erase("ftrace");
  out.u32(static_cast<std::uint32_t>(systems.size()));
  for (const auto& [system, names] : systems) {
    put_line(system);
    put_system(out, root + "/events/" + system, names);
  }
  out.u32(0);  // the kernel's symbols, which no reader uses
  put_file<std::uint32_t>(out, root + "/printk_formats");
  put_file<std::uint64_t>(out, root + "/saved_cmdlines");
  return out.bytes();
}

}  // namespace evname::sampling
