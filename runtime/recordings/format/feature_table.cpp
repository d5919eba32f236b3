#include "recordings/format/feature_table.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "recordings/format/feature_decoders.hpp"

namespace evname::perfdata {
inline namespace format {
namespace {

struct Decoder {
  std::uint16_t number;
  std::string_view name;
  void (*decode)(Cursor& in, Features& out);  ///< nullptr: it has no content, or none known here
};

constexpr Decoder kDecoders[] = {
    {1, "TRACING_DATA", decode_tracing_data},
    {2, "BUILD_ID", decode_build_ids},
    {3, "HOSTNAME", decode_string<&Features::hostname>},
    {4, "OSRELEASE", decode_string<&Features::os_release>},
    {5, "VERSION", decode_string<&Features::version>},
    {6, "ARCH", decode_string<&Features::arch>},
    {7, "NRCPUS", decode_cpus},
    {8, "CPUDESC", decode_string<&Features::cpu_desc>},
    {9, "CPUID", decode_string<&Features::cpuid>},
    {10, "TOTAL_MEM", decode_number<&Features::total_memory>},
    {11, "CMDLINE", decode_command_line},
    {12, "EVENT_DESC", decode_event_desc},
    {13, "CPU_TOPOLOGY", decode_topology},
    {14, "NUMA_TOPOLOGY", decode_numa},
    {15, "BRANCH_STACK", nullptr},
    {16, "PMU_MAPPINGS", decode_mappings},
    {17, "GROUP_DESC", decode_groups},
    {18, "AUXTRACE", decode_auxtrace},
    {19, "STAT", nullptr},
    {20, "CACHE", decode_caches},
    {21, "SAMPLE_TIME", decode_sample_time},
    {22, "MEM_TOPOLOGY", decode_memory},
    {23, "CLOCKID", decode_number<&Features::clockid_resolution>},
    {24, "DIR_FORMAT", decode_number<&Features::dir_format>},
    {25, "BPF_PROG_INFO", decode_bpf_programs},
    {26, "BPF_BTF", decode_bpf_btf},
    {27, "COMPRESSED", decode_compression},
    {28, "CPU_PMU_CAPS", decode_cpu_caps},
    {29, "CLOCK_DATA", decode_clock},
    {30, "HYBRID_TOPOLOGY", decode_hybrid},
    {31, "PMU_CAPS", decode_pmu_caps},
    // Since perf 6.19.
    {32, "CPU_DOMAIN_INFO", decode_cpu_domains},
    {33, "E_MACHINE", decode_e_machine},
    {34, "CLN_SIZE", [](Cursor& in, Features& out) { out.cacheline_size = in.u32(); }},
    // simpleperf of Android: system/extras/simpleperf/record_file_format.h.
    {128, "META_INFO", nullptr},
    {129, "DEBUG_UNWIND", nullptr},
    {130, "DEBUG_UNWIND_FILE", nullptr},
    {131, "FILE2", nullptr},
};

const Decoder* find_decoder(std::uint64_t number) {
  const auto* at = std::find_if(std::begin(kDecoders), std::end(kDecoders),
                                [&](const Decoder& row) { return row.number == number; });
  return at == std::end(kDecoders) ? nullptr : at;
}

}  // namespace

void decode_feature(std::uint64_t number, Bytes content, std::endian order, std::uint64_t offset,
                    Features& features, Warnings& warnings) {
  const Decoder* row = find_decoder(number);
  features.present.push_back({number, offset, content.size(), false});
  if (!row || !row->decode || content.empty()) return;  // old perf leaves empty sections
  Cursor in(content, order);
  row->decode(in, features);
  features.present.back().broken = !in.ok();
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

namespace {

/// EM_* of include/uapi/linux/elf-em.h, and what uname -m says there.
struct ElfMachine {
  std::uint32_t number;
  std::string_view big, little;
};
constexpr ElfMachine kElfMachines[] = {
    {2, "sparc", "sparc"},      {3, "i686", "i686"},
    {8, "mips64", "mips64"},    {15, "parisc", "parisc"},
    {18, "sparc", "sparc"},     {20, "ppc", "ppc"},
    {21, "ppc64", "ppc64le"},   {22, "s390x", "s390x"},
    {40, "armv7b", "armv7l"},   {42, "sh", "sh"},
    {43, "sparc64", "sparc64"}, {62, "x86_64", "x86_64"},
    {94, "xtensa", "xtensa"},   {183, "aarch64_be", "aarch64"},
    {195, "arc", "arc"},        {243, "riscv64", "riscv64"},
    {252, "csky", "csky"},      {258, "loongarch64", "loongarch64"},
    {0x9026, "alpha", "alpha"},
};

}  // namespace

namespace {

// Features that are one string.
constexpr std::uint64_t kStrings[] = {3, 4, 5, 6, 8, 9};

std::string_view why_refused(const Features& features, const FeaturePresence& one) {
  constexpr std::uint32_t kBlock = 4096, kMostCpus = 1 << 20;
  const std::uint32_t block = features.compression ? features.compression->mmap_size : kBlock;
  const bool is_string =
      std::find(std::begin(kStrings), std::end(kStrings), one.number) != std::end(kStrings);
  if (one.number == 12) return {};  // EVENT_DESC: perf goes on without
  if (one.broken) return "is broken";
  if (is_string && one.size == 0) return "is empty";
  if (one.number == 27 && (block == 0 || block % kBlock != 0)) return "has no size of blocks";
  if (one.number == 7 &&
      (features.cpus_online > features.cpus_available || features.cpus_available > kMostCpus))
    return "has more CPUs online than there are";
  if (one.number == 13 && !features.has(7)) return "comes without NRCPUS";
  return {};
}

}  // namespace

}  // namespace format

// perf_header__process_sections and process_* of tools/perf/util/header.c.
std::vector<std::string> refused_by_perf(const Features& features) {
  std::vector<std::string> reasons;
  for (const FeaturePresence& one : features.present)
    if (const std::string_view why = why_refused(features, one); !why.empty())
      reasons.push_back(
          fmt::format("feature {} ({}) {}", one.number, feature_name(one.number), why));
  return reasons;
}

std::string architecture(const Features& features, bool big_endian) {
  if (!features.arch.empty() || !features.e_machine) return features.arch;
  for (const ElfMachine& row : kElfMachines)
    if (row.number == (*features.e_machine)[0])
      return std::string(big_endian ? row.big : row.little);
  return {};
}

std::string_view feature_name(std::uint64_t number) {
  const Decoder* row = find_decoder(number);
  return row ? row->name : std::string_view{};
}

}  // namespace evname::perfdata
