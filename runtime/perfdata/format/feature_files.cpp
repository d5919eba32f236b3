#include <algorithm>

#include "perfdata/format/decoders.hpp"
#include "perfdata/format/record.hpp"

namespace evname::perfdata {
namespace {

constexpr std::uint16_t kMiscBuildIdSize = 1 << 15;
constexpr std::size_t kBuildIdBytes = 20;

/// Entries are records of type 0 with their own sizes. perf before 2.6.34 wrote no pid.
std::vector<BuildId> read_build_ids(Cursor in, bool with_pid, bool& whole) {
  std::vector<BuildId> list;
  while (in.remaining() > 0 && in.ok()) {
    in.skip(4);  // type
    BuildId entry;
    entry.misc = in.u16();
    const std::uint16_t size = in.u16();
    if (size < kRecordHeader) break;
    Cursor body(in.bytes(size - kRecordHeader), in.order());
    if (with_pid) entry.pid = static_cast<std::int32_t>(body.u32());
    const Bytes id = body.bytes(kBuildIdBytes + 4);
    entry.file = std::string(body.text(body.remaining()));
    if (!in.ok() || !body.ok()) break;
    const std::size_t bytes = entry.misc & kMiscBuildIdSize
                                  ? std::min<std::size_t>(id[kBuildIdBytes], kBuildIdBytes)
                                  : kBuildIdBytes;
    entry.id.assign(id.begin(), id.begin() + static_cast<std::ptrdiff_t>(bytes));
    list.push_back(std::move(entry));
  }
  whole = in.ok() && in.remaining() == 0;
  return list;
}

}  // namespace

// Without a pid the name seems to begin four bytes late: "[kernel.kallsyms]" tells.
void decode_build_ids(Cursor& in, Features& out) {
  bool whole = false;
  std::vector<BuildId> list = read_build_ids(in, true, whole);
  const bool old = std::any_of(list.begin(), list.end(),
                               [](const BuildId& entry) { return entry.file == "nel.kallsyms]"; });
  if (old) list = read_build_ids(in, false, whole);
  std::move(list.begin(), list.end(), std::back_inserter(out.build_ids));
  in.skip(whole ? in.remaining() : UINT64_MAX);
}

void decode_auxtrace(Cursor& in, Features& out) {
  const std::uint64_t count = in.u64();
  read_items(in, count, out.auxtrace, [&] {
    const std::uint64_t offset = in.u64();
    return AuxtraceEntry{offset, in.u64()};
  });
}

// Source: struct bpf_prog_info of include/uapi/linux/bpf.h: type, id, tag[8] first, name[16] at 64.
void decode_bpf_programs(Cursor& in, Features& out) {
  read_list(in, out.bpf_programs, [&] {
    BpfProgram program;
    program.info_size = in.u32();
    program.data_size = in.u32();
    in.skip(8);  // which arrays follow
    Cursor info(in.bytes(program.info_size), in.order());
    program.type = info.u32();
    program.id = info.u32();
    const Bytes tag = info.bytes(8);
    if (tag.size() == 8) program.tag = load<std::uint64_t>(tag.data(), std::endian::big);
    info.skip(64 - 16);
    program.name = std::string(info.text(16));
    in.skip(program.data_size);
    return program;
  });
}

void decode_bpf_btf(Cursor& in, Features& out) {
  read_list(in, out.bpf_btf, [&] {
    const std::uint32_t id = in.u32();
    const std::uint32_t size = in.u32();
    in.skip(size);
    return BpfBtf{id, size};
  });
}

}  // namespace evname::perfdata
