#include "perfdata/session/processes.hpp"

#include <string_view>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "perfdata/format/feature_decoders.hpp"

namespace evname::perfdata::session {

Threads::Threads() {
  by_tid_.insert(0, 0);
  threads_.push_back({0, true, "swapper"});
}

std::string_view Threads::unnamed(std::int32_t tid) {
  auto& text = numbers_.emplace_back();
  return {text.data(),
          static_cast<std::size_t>(fmt::format_to(text.data(), ":{}", tid) - text.data())};
}

Threads::Thread& Threads::find(std::int32_t pid, std::int32_t tid) {
  const auto number = static_cast<std::uint32_t>(tid);
  Recent& recent = recent_[number % recent_.size()];
  if (!recent.thread || recent.tid != tid) {
    std::uint32_t index = by_tid_[number];
    if (index == by_tid_.kNone) {
      index = static_cast<std::uint32_t>(threads_.size());
      threads_.push_back({pid});
      by_tid_.insert(number, index);
    }
    recent = {tid, &threads_[index]};
  }
  if (recent.thread->pid == -1) recent.thread->pid = pid;
  return *recent.thread;
}

std::string_view Threads::comm(std::int32_t pid, std::int32_t tid) {
  Thread& thread = find(pid, tid);
  if (!thread.named && thread.comm.empty()) thread.comm = unnamed(tid);
  return thread.comm;
}

// A parent of another process under the same tid is a thread that ended unnoticed.
void Threads::fork(std::int32_t pid, std::int32_t tid, std::int32_t ppid, std::int32_t ptid) {
  Thread& parent = find(ppid, ptid);
  if (parent.pid != ppid) parent = {ppid};
  const Thread origin = parent;
  Thread& child = find(pid, tid);
  child = origin.named ? Thread{pid, true, origin.comm} : Thread{pid};
}

bool Threads::apply(const Record& record, std::endian order) {
  Cursor in(record.body(), order);
  if (record.type == kRecordComm) {
    const auto pid = static_cast<std::int32_t>(in.u32()), tid = static_cast<std::int32_t>(in.u32());
    const std::string_view comm = in.text(in.remaining());
    if (!in.ok()) return false;
    Thread& thread = find(pid, tid);
    thread.named = true;
    thread.comm = keep(comm);
  } else if (record.type == kRecordFork) {
    const auto pid = static_cast<std::int32_t>(in.u32()),
               ppid = static_cast<std::int32_t>(in.u32());
    const auto tid = static_cast<std::int32_t>(in.u32()),
               ptid = static_cast<std::int32_t>(in.u32());
    if (!in.ok()) return false;
    fork(pid, tid, ppid, ptid);
  }
  return true;
}

bool Cgroups::apply(const Record& record, std::endian order) {
  if (record.type != kRecordCgroup) return true;
  Cursor in(record.body(), order);
  const std::uint64_t id = in.u64();
  const std::string_view path = in.text(in.remaining());
  if (in.ok()) paths_.try_emplace(id, path);
  return in.ok();
}

namespace {

constexpr std::size_t kMaxCopied = 1 << 22;  // mappings that forks may multiply to
constexpr std::uint32_t kExecutable = 4;     // PROT_EXEC
constexpr std::uint16_t kMiscForkExec = 1 << 13;
constexpr std::uint32_t kMapHuge = 0x40000;  // MAP_HUGETLB of most architectures

// is_anon_memory and is_no_dso_memory of tools/perf/util/map.c.
bool has_file(std::string_view name) {
  for (std::string_view prefix : {"//anon", "/dev/zero", "/anon_hugepage", "[stack", "/SYSV"})
    if (name.starts_with(prefix)) return false;
  return name != "[heap]" && name != "//anon";
}

constexpr std::string_view kKernelName = "[kernel.kallsyms]";

/// ".../jit-PID.dump", which a JIT compiler maps so that recordings tell where it is.
bool is_jitdump(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return name.starts_with("jit-") && name.ends_with(".dump");
}

}  // namespace

bool AddressMaps::apply(const Record& record, std::endian order) {
  Cursor in(record.body(), order);
  ++generation_;
  if (record.type == kRecordFork) {
    const auto pid = static_cast<std::int32_t>(in.u32()),
               parent = static_cast<std::int32_t>(in.u32());
    if (!in.ok() || pid == parent || (record.misc & kMiscForkExec) != 0) return in.ok();
    const auto of_parent = processes_.find(parent);
    if (of_parent == processes_.end())
      processes_.erase(pid);
    else
      processes_[pid] = std::shared_ptr(of_parent->second);
    return true;
  }
  if (record.type != kRecordMmap && record.type != kRecordMmap2) return true;
  const auto pid = static_cast<std::int32_t>(in.u32());
  in.skip(4);  // tid
  const std::uint64_t start = in.u64(), size = in.u64(), offset = in.u64();
  std::uint32_t flags = 0, protection = kExecutable;
  MappedCode code;
  if (record.type == kRecordMmap2) {
    in.skip(24);  // build id, or inode and device
    if (auto id = mapped_build_id(record, order)) code.build_id = std::move(id->id);
    protection = in.u32();
    flags = in.u32();
  }
  code.name = in.text(in.remaining());
  if (!in.ok()) return false;
  const std::uint16_t mode = record.misc & kCpuMode;
  if ((mode != kCpuModeUser && mode != kCpuModeKernel) || size > UINT64_MAX - start) return true;
  if (code.build_id.empty())
    if (const auto known = build_ids_.find(code.name); known != build_ids_.end())
      code.build_id = *known->second;
  if (mode == kCpuModeKernel) {
    code.kernel = true;
    add_kernel(start, start + size, offset, code_of(std::move(code)));
    return true;
  }
  if (is_jitdump(code.name)) jitdumps_[pid] = code_of(code);
  const bool in_file = has_file(code.name) && (flags & kMapHuge) == 0;
  if (!in_file && (protection & kExecutable) != 0) {
    code.pid = pid;
    if ((flags & kMapHuge) != 0) code.name = "//anon";
  }
  const std::uint64_t of_start = code.name == "[vdso]" ? 0 : offset;
  add(own(pid), start, {start + size, in_file ? of_start - start : 0, code_of(std::move(code))});
  return true;
}

AddressMaps::AddressMaps(const std::vector<BuildId>& build_ids) {
  for (const BuildId& one : build_ids) build_ids_.emplace(one.file, &one.id);
}

const MappedCode* AddressMaps::code_of(MappedCode code) {
  std::string key = fmt::format("{}\n{}\n", code.pid, code.kernel);
  key.append(code.build_id.begin(), code.build_id.end());
  key += code.name;
  std::unique_ptr<MappedCode>& kept = codes_[std::move(key)];
  if (!kept) kept = std::make_unique<MappedCode>(std::move(code));
  return kept.get();
}

// The kernel's own mapping tells, in place of an offset, where its symbol is that the name ends
// with: machine__process_kernel_mmap_event of tools/perf/util/machine.c.
void AddressMaps::add_kernel(std::uint64_t start, std::uint64_t end, std::uint64_t offset,
                             const MappedCode* code) {
  if (code->name.starts_with(kKernelName)) {
    if (offset != 0 && code->name.size() > kKernelName.size()) kernel_text_ = offset;
    kernel_build_id_ = code->build_id;
    if (const auto known = build_ids_.find(kKernelName);
        kernel_build_id_.empty() && known != build_ids_.end())
      kernel_build_id_ = *known->second;
    if (end == start) end = UINT64_MAX;
  }
  add(kernel_, start, {end, offset - start, code});
}

AddressMaps::Process& AddressMaps::own(std::int32_t pid) {
  auto& process = processes_[pid];
  if (!process) {
    process = std::make_shared<Process>();
  } else if (process.use_count() > 1) {
    copied_ += process->size();
    process =
        copied_ < kMaxCopied ? std::make_shared<Process>(*process) : std::make_shared<Process>();
  }
  return *process;
}

// A new mapping replaces what it covers of older ones.
void AddressMaps::add(Process& maps, std::uint64_t start, const Map& map) {
  const std::uint64_t end = map.end;
  auto at = maps.lower_bound(start);
  if (at != maps.begin() && std::prev(at)->second.end > start) {
    Map& before = std::prev(at)->second;
    const Map rest = before;
    before.end = start;
    if (rest.end > end) at = maps.emplace(end, rest).first;
  }
  while (at != maps.end() && at->first < end) {
    const Map covered = at->second;
    at = maps.erase(at);
    if (covered.end > end) at = maps.emplace(end, covered).first;
  }
  if (end > start) maps[start] = map;
}

CodePlace AddressMaps::find_in(const Process& maps, std::uint64_t address) {
  auto at = maps.upper_bound(address);
  if (at == maps.begin() || (--at)->second.end <= address) return {};
  return {at->second.code, at->first, at->second.end, at->first + at->second.shift};
}

CodePlace AddressMaps::find(std::int32_t pid, std::uint64_t address, bool kernel) const {
  if (kernel) return find_in(kernel_, address);
  const auto process = processes_.find(pid);
  return process == processes_.end() ? CodePlace{} : find_in(*process->second, address);
}

std::uint64_t AddressMaps::file_offset(std::int32_t pid, std::uint64_t address) const {
  const CodePlace place = find(pid, address, false);
  return place.code ? address - place.start + place.offset : address;
}

}  // namespace evname::perfdata::session
