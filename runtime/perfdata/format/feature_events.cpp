#include "perfdata/format/attr.hpp"
#include "perfdata/format/decoders.hpp"

namespace evname::perfdata {
namespace {

void read_pairs(Cursor& in, Pairs& pairs) {
  read_list(in, pairs, [&] {
    std::string name = read_string(in);
    return std::pair{std::move(name), read_string(in)};
  });
}

}  // namespace

// Entries hold the recorder's own perf_event_attr, of attr_size bytes.
void decode_event_desc(Cursor& in, Features& out) {
  const std::uint32_t count = in.u32(), attr_size = in.u32();
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    EventDesc desc;
    desc.attr = decode_attr(in.bytes(attr_size), in.order());
    const std::uint32_t ids = in.u32();
    desc.name = read_string(in);
    const Bytes stored = in.array(ids, 8);
    for (std::size_t at = 0; at < stored.size(); at += 8)
      desc.ids.push_back(load<std::uint64_t>(stored.data() + at, in.order()));
    if (in.ok()) out.event_desc.push_back(std::move(desc));
  }
}

void decode_mappings(Cursor& in, Features& out) {
  read_list(in, out.pmu_mappings, [&] {
    const std::uint32_t type = in.u32();
    return std::pair{type, read_string(in)};
  });
}

void decode_groups(Cursor& in, Features& out) {
  read_list(in, out.groups, [&] {
    GroupDesc group{read_string(in), 0, 0};
    group.leader = in.u32();
    group.members = in.u32();
    return group;
  });
}

void decode_cpu_caps(Cursor& in, Features& out) {
  PmuCaps caps{"cpu", {}};
  read_pairs(in, caps.values);
  out.caps.push_back(std::move(caps));
}

void decode_pmu_caps(Cursor& in, Features& out) {
  read_list(in, out.caps, [&] {
    PmuCaps caps;
    read_pairs(in, caps.values);
    caps.pmu = read_string(in);
    return caps;
  });
}

void decode_hybrid(Cursor& in, Features& out) { read_pairs(in, out.hybrid); }

}  // namespace evname::perfdata
