#include "perfdata/features.hpp"

#include <algorithm>

#include "base/cursor.hpp"
#include "perfdata/tracing_data.hpp"

namespace evname::perfdata {
namespace {

std::string read_string(Cursor& in) { return std::string(in.text(in.u32())); }

// As many items as the file claims, as long as there are bytes.
template <class T, class Read>
void read_list(Cursor& in, std::vector<T>& list, Read read) {
  const std::uint32_t count = in.u32();
  for (std::uint32_t i = 0; i < count && in.ok(); ++i) {
    T item = read();
    if (in.ok()) list.push_back(std::move(item));
  }
}

template <std::string Features::*Member>
void decode_string(Cursor& in, Features& out) {
  out.*Member = read_string(in);
}

void decode_cpus(Cursor& in, Features& out) {
  out.cpus_available = in.u32();
  out.cpus_online = in.u32();
}

void decode_command_line(Cursor& in, Features& out) {
  read_list(in, out.command_line, [&] { return read_string(in); });
}

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

void read_pairs(Cursor& in, Pairs& pairs) {
  read_list(in, pairs, [&] {
    std::string name = read_string(in);
    return std::pair{std::move(name), read_string(in)};
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

void decode_tracing_data(Cursor& in, Features& out) {
  if (!read_tracepoints(in.bytes(in.remaining()), out.tracepoints)) in.skip(UINT64_MAX);
}

struct Decoder {
  std::uint16_t number;
  std::string_view name;
  void (*decode)(Cursor& in, Features& out);  ///< nullptr: nothing here needs it
};

constexpr Decoder kDecoders[] = {
    {1, "TRACING_DATA", decode_tracing_data},
    {2, "BUILD_ID", nullptr},
    {3, "HOSTNAME", decode_string<&Features::hostname>},
    {4, "OSRELEASE", decode_string<&Features::os_release>},
    {5, "VERSION", decode_string<&Features::version>},
    {6, "ARCH", decode_string<&Features::arch>},
    {7, "NRCPUS", decode_cpus},
    {8, "CPUDESC", decode_string<&Features::cpu_desc>},
    {9, "CPUID", decode_string<&Features::cpuid>},
    {10, "TOTAL_MEM", [](Cursor& in, Features& out) { out.total_memory = in.u64(); }},
    {11, "CMDLINE", decode_command_line},
    {12, "EVENT_DESC", decode_event_desc},
    {13, "CPU_TOPOLOGY", nullptr},
    {14, "NUMA_TOPOLOGY", nullptr},
    {15, "BRANCH_STACK", nullptr},
    {16, "PMU_MAPPINGS", decode_mappings},
    {17, "GROUP_DESC", decode_groups},
    {18, "AUXTRACE", nullptr},
    {19, "STAT", nullptr},
    {20, "CACHE", nullptr},
    {21, "SAMPLE_TIME", nullptr},
    {22, "MEM_TOPOLOGY", nullptr},
    {23, "CLOCKID", nullptr},
    {24, "DIR_FORMAT", [](Cursor& in, Features& out) { out.dir_format = in.u64(); }},
    {25, "BPF_PROG_INFO", nullptr},
    {26, "BPF_BTF", nullptr},
    {27, "COMPRESSED", nullptr},
    {28, "CPU_PMU_CAPS", decode_cpu_caps},
    {29, "CLOCK_DATA", nullptr},
    {30, "HYBRID_TOPOLOGY", [](Cursor& in, Features& out) { read_pairs(in, out.hybrid); }},
    {31, "PMU_CAPS", decode_pmu_caps},
};

const Decoder* find_decoder(std::uint64_t number) {
  const auto* at = std::find_if(std::begin(kDecoders), std::end(kDecoders),
                                [&](const Decoder& row) { return row.number == number; });
  return at == std::end(kDecoders) ? nullptr : at;
}

}  // namespace

std::string_view feature_name(std::uint64_t number) {
  const Decoder* row = find_decoder(number);
  return row ? row->name : std::string_view{};
}

void decode_feature(std::uint64_t number, Bytes content, std::endian order, std::uint64_t offset,
                    Features& features, Warnings& warnings) {
  const Decoder* row = find_decoder(number);
  if (!row || !row->decode || content.empty()) return;  // old perf leaves empty sections
  Cursor in(content, order);
  row->decode(in, features);
  if (!in.ok())
    warnings.add(offset, fmt::format("feature {} ({}) of {} bytes is broken; what it says up to "
                                     "there is used",
                                     row->name, number, content.size()));
}

void read_features(Bytes file, const Header& header, Features& features, Warnings& warnings) {
  if (header.feature_table == 0 || header.features.none()) return;
  Cursor table(file.subspan(header.feature_table), header.order);
  for (std::size_t number = 0; number < header.features.size(); ++number) {
    if (!header.features[number]) continue;
    const std::uint64_t row_offset = header.feature_table + table.position();
    Section section{table.u64(), table.u64()};
    if (!table.ok())
      return warnings.add(row_offset,
                          fmt::format("feature table is cut off at feature {}", number));
    if (section.offset > file.size()) {
      warnings.add(row_offset,
                   fmt::format("feature {} ({}) is not in the file", feature_name(number), number));
      continue;
    }
    section.size = std::min<std::uint64_t>(section.size, file.size() - section.offset);
    decode_feature(number, section_of(file, section), header.order, section.offset, features,
                   warnings);
  }
}

}  // namespace evname::perfdata
