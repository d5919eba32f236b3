#include "perfdata/session/threads.hpp"

#include <fmt/format.h>

#include "base/bytes.hpp"

namespace evname::perfdata {

Threads::Threads() { by_tid_[0] = {0, true, "swapper"}; }

std::string_view Threads::unnamed(std::int32_t tid) { return keep(fmt::format(":{}", tid)); }

Threads::Thread& Threads::find(std::int32_t pid, std::int32_t tid) {
  Recent& recent = recent_[static_cast<std::uint32_t>(tid) % recent_.size()];
  if (!recent.thread || recent.tid != tid) {
    auto [at, fresh] = by_tid_.try_emplace(tid);
    if (fresh) at->second = {pid, false, unnamed(tid)};
    recent = {tid, &at->second};
  }
  if (recent.thread->pid == -1) recent.thread->pid = pid;
  return *recent.thread;
}

std::string_view Threads::comm(std::int32_t pid, std::int32_t tid) { return find(pid, tid).comm; }

// A parent of another process under the same tid is a thread that ended unnoticed.
void Threads::fork(std::int32_t pid, std::int32_t tid, std::int32_t ppid, std::int32_t ptid) {
  Thread* parent = &find(ppid, ptid);
  if (parent->pid != ppid) *parent = {ppid, false, unnamed(ptid)};
  const Thread origin = *parent;
  Thread& child = find(pid, tid);
  child = {pid, origin.named, origin.named ? origin.comm : unnamed(tid)};
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

}  // namespace evname::perfdata
