#pragma once
// Features: what a recording says of its machine, its perf and its events.
// Source: HEADER_* of tools/perf/Documentation/perf.data-file-format.txt.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "perfdata/attr.hpp"
#include "perfdata/header.hpp"

namespace evname::perfdata {

struct EventDesc {
  Attr attr;
  std::string name;
  std::vector<std::uint64_t> ids;
};

struct GroupDesc {
  std::string name;  ///< "{anon_group}": it has none
  std::uint32_t leader = 0;
  std::uint32_t members = 0;
};

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct PmuCaps {
  std::string pmu;
  Pairs values;
};

/// Empty members: the feature is absent or broken; `errors` tells the latter.
struct Features {
  std::string hostname, os_release, version, arch, cpu_desc, cpuid;
  std::uint32_t cpus_available = 0, cpus_online = 0;
  std::uint64_t total_memory = 0;  ///< kB
  std::vector<std::string> command_line;
  std::vector<EventDesc> event_desc;
  std::vector<std::pair<std::uint32_t, std::string>> pmu_mappings;
  std::vector<GroupDesc> groups;
  std::vector<PmuCaps> caps;
  Pairs hybrid;  ///< core PMU, CPU list
  std::uint64_t dir_format = 0;
  std::vector<std::pair<std::uint64_t, std::string>> tracepoints;  ///< attr.config, "system:name"
};

/// Decodes one feature; a fault loses what follows it in this feature only, and is told in
/// `warnings`. Numbers without a decoder are accepted. `offset` is for messages.
void decode_feature(std::uint64_t number, Bytes content, std::endian order, std::uint64_t offset,
                    Features& features, Warnings& warnings);

/// All features of a file.
void read_features(Bytes file, const Header& header, Features& features, Warnings& warnings);

/// "HOSTNAME"; "" for numbers that no perf known here writes.
std::string_view feature_name(std::uint64_t number);

}  // namespace evname::perfdata
