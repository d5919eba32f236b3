#include "perfdata/format/decoders.hpp"

namespace evname::perfdata {
namespace {

void read_strings(Cursor& in, std::vector<std::string>& list) {
  read_list(in, list, [&] { return read_string(in); });
}

}  // namespace

// Three revisions: the lists alone, then core and socket of each CPU, then dies. What follows is
// told from what is left.
void decode_topology(Cursor& in, Features& out) {
  CpuTopology& topology = out.topology;
  read_strings(in, topology.packages);
  read_strings(in, topology.threads);
  const std::uint64_t cpus = out.cpus_available > 0 ? out.cpus_available : in.remaining() / 8;
  if (!in.ok() || in.remaining() < 8) return;
  read_items(in, cpus, topology.cpus, [&] {
    CpuTopology::Cpu cpu;
    cpu.core = in.u32();
    cpu.socket = in.u32();
    return cpu;
  });
  if (!in.ok() || in.remaining() < 8) return;
  read_strings(in, topology.dies);
  for (CpuTopology::Cpu& cpu : topology.cpus) cpu.die = in.u32();
}

void decode_numa(Cursor& in, Features& out) {
  read_list(in, out.numa, [&] {
    NumaNode node;
    node.node = in.u32();
    node.total = in.u64();
    node.free = in.u64();
    node.cpus = read_string(in);
    return node;
  });
}

void decode_caches(Cursor& in, Features& out) {
  constexpr std::uint32_t kVersion = 1;
  if (in.u32() != kVersion) return in.skip(UINT64_MAX);
  read_list(in, out.caches, [&] {
    CacheLevel cache;
    for (std::uint32_t CacheLevel::*member :
         {&CacheLevel::level, &CacheLevel::line_size, &CacheLevel::sets, &CacheLevel::ways})
      cache.*member = in.u32();
    for (std::string CacheLevel::*member :
         {&CacheLevel::type, &CacheLevel::size, &CacheLevel::cpus})
      cache.*member = read_string(in);
    return cache;
  });
}

void decode_memory(Cursor& in, Features& out) {
  constexpr std::uint64_t kVersion = 1;
  if (in.u64() != kVersion) return in.skip(UINT64_MAX);
  out.memory_block_size = in.u64();
  const std::uint64_t count = in.u64();
  read_items(in, count, out.memory, [&] {
    MemoryNode node;
    node.node = in.u64();
    in.skip(8);  // how many blocks there are; the bitmap tells
    node.bits = in.u64();
    read_items(in, node.bits / 64 + (node.bits % 64 != 0), node.bitmap, [&] { return in.u64(); });
    return node;
  });
}

}  // namespace evname::perfdata
