#include "perfdata/session/processes.hpp"

#include <string_view>

#include <fmt/format.h>

#include "base/bytes.hpp"

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

namespace {

constexpr std::size_t kMaxCopied = 1 << 22;  // mappings that forks may multiply to
constexpr std::uint16_t kCpuMode = 7, kCpuModeUser = 2;
constexpr std::uint16_t kMiscForkExec = 1 << 13;
constexpr std::uint32_t kMapHuge = 0x40000;  // MAP_HUGETLB of most architectures

// is_anon_memory and is_no_dso_memory of tools/perf/util/map.c.
bool has_file(std::string_view name) {
  for (std::string_view prefix : {"//anon", "/dev/zero", "/anon_hugepage", "[stack", "/SYSV"})
    if (name.starts_with(prefix)) return false;
  return name != "[heap]" && name != "//anon";
}

}  // namespace

bool AddressMaps::apply(const Record& record, std::endian order) {
  Cursor in(record.body(), order);
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
  std::uint32_t flags = 0;
  if (record.type == kRecordMmap2) {
    in.skip(24 + 4);  // inode or build id; prot
    flags = in.u32();
  }
  const std::string_view name = in.text(in.remaining());
  if (!in.ok()) return false;
  if ((record.misc & kCpuMode) != kCpuModeUser || size > UINT64_MAX - start) return true;
  const std::uint64_t in_file = name == "[vdso]" ? 0 : offset;
  add(pid, start, start + size, has_file(name) && (flags & kMapHuge) == 0 ? in_file - start : 0);
  return true;
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
void AddressMaps::add(std::int32_t pid, std::uint64_t start, std::uint64_t end,
                      std::uint64_t shift) {
  Process& maps = own(pid);
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
  if (end > start) maps[start] = {end, shift};
}

std::uint64_t AddressMaps::file_offset(std::int32_t pid, std::uint64_t address) const {
  const auto process = processes_.find(pid);
  if (process == processes_.end()) return address;
  auto at = process->second->upper_bound(address);
  if (at == process->second->begin() || (--at)->second.end <= address) return address;
  return address + at->second.shift;
}

}  // namespace evname::perfdata::session
