#include "recordings/session/processes.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "perf_format/typed_records.hpp"

namespace evname::session {

Threads::Threads() {
  by_tid_[0] = 0;
  threads_.push_back({0, true, "swapper"});
}

std::string_view Threads::unnamed(std::int32_t tid) {
  auto& text = numbers_.emplace_back();
  const fmt::format_int digits(tid);
  text[0] = ':';
  std::copy_n(digits.data(), digits.size(), text.data() + 1);
  return {text.data(), digits.size() + 1};
}

Threads::Thread& Threads::find(std::int32_t pid, std::int32_t tid) {
  const auto [at, is_new] = by_tid_.try_emplace(tid, static_cast<std::uint32_t>(threads_.size()));
  if (is_new) threads_.push_back({pid});
  Thread& thread = threads_[at->second];
  if (thread.pid == -1) thread.pid = pid;
  return thread;
}

std::string_view Threads::comm(std::int32_t pid, std::int32_t tid) {
  Thread& thread = find(pid, tid);
  if (!thread.named && thread.comm.empty()) thread.comm = unnamed(tid);
  return thread.comm;
}

std::string_view Threads::process_comm(std::int32_t pid) const {
  const auto at = by_tid_.find(pid);
  if (at == by_tid_.end()) return {};
  const Thread& first = threads_[at->second];
  return first.named && first.pid == pid ? first.comm : std::string_view{};
}

// A parent with the same tid in another process is a thread whose end was not recorded.
void Threads::fork(std::int32_t pid, std::int32_t tid, std::int32_t ppid, std::int32_t ptid) {
  Thread& parent = find(ppid, ptid);
  if (parent.pid != ppid) parent = {ppid};
  const Thread origin = parent;
  Thread& child = find(pid, tid);
  child = origin.named ? Thread{pid, true, origin.comm} : Thread{pid};
}

bool Threads::apply(const perf_format::Record& record, std::endian order) {
  using perf_format::read_as;
  if (record.type == perf_format::kRecordComm) {
    const auto comm = read_as<Record::Comm>(record, order);
    if (!comm) return false;
    Thread& thread = find(comm->pid, comm->tid);
    thread.named = true;
    thread.comm = keep(comm->name);
  } else if (record.type == perf_format::kRecordFork) {
    const auto task = read_as<Record::Task>(record, order);
    if (!task) return false;
    fork(task->pid, task->tid, task->parent_pid, task->parent_tid);
  } else if ((record.type == perf_format::kRecordMmap ||
              record.type == perf_format::kRecordMmap2) &&
             (record.misc & perf_format::kCpuMode) != perf_format::kCpuModeKernel) {
    if (const auto map = read_as<Record::Map>(record, order)) find(map->pid, map->tid);
  }
  return true;
}

bool Cgroups::apply(const perf_format::Record& record, std::endian order) {
  if (record.type != perf_format::kRecordCgroup) return true;
  const auto cgroup = perf_format::read_as<Record::Cgroup>(record, order);
  if (cgroup) paths_.try_emplace(cgroup->id, cgroup->path);
  return cgroup.has_value();
}

std::size_t MapList::piece_of(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(pieces_, address, {}, &Piece::first);
  return static_cast<std::size_t>(after - pieces_.begin()) - (after != pieces_.begin());
}

const PlacedMap* MapList::find(std::uint64_t address) const {
  if (pieces_.empty()) return nullptr;
  const std::vector<PlacedMap>& maps = *pieces_[piece_of(address)].maps;
  const auto after = std::ranges::upper_bound(maps, address, {}, &PlacedMap::start);
  if (after == maps.begin() || after[-1].end <= address) return nullptr;
  return &after[-1];
}

void MapList::add(const PlacedMap& map) {
  if (map.start >= map.end) return;
  const std::size_t first = piece_of(map.start);
  std::size_t last = first;
  while (last < pieces_.size() && (last == first || pieces_[last].first < map.end)) ++last;
  std::vector<PlacedMap> merged;
  merged.reserve(kMost + 2);
  bool is_added = false;
  const auto add_once = [&] {
    if (!std::exchange(is_added, true)) merged.push_back(map);
  };
  for (std::size_t i = first; i < last; ++i) {
    for (const PlacedMap& old : *pieces_[i].maps) {
      if (old.start < map.start)
        merged.push_back({old.start, std::min(old.end, map.start), old.shift, old.dso});
      if (old.end <= map.end) continue;
      add_once();
      merged.push_back({std::max(old.start, map.end), old.end, old.shift, old.dso});
    }
  }
  add_once();
  replace(first, last, merged);
}

void MapList::remove(PlacedMap map) {
  const std::size_t piece = piece_of(map.start);
  if (piece >= pieces_.size()) return;
  std::vector<PlacedMap> left = *pieces_[piece].maps;
  std::erase_if(left, [&](const PlacedMap& one) { return one.start == map.start; });
  replace(piece, piece + 1, left);
}

/// Replaces the pieces from `first` up to `last` by ranges.
void MapList::replace(std::size_t first, std::size_t last, const std::vector<PlacedMap>& maps) {
  for (std::size_t i = first; i < last; ++i) size_ -= pieces_[i].maps->size();
  size_ += maps.size();
  const std::size_t count = (maps.size() + kMost - 1) / kMost;
  const auto at = pieces_.begin() + static_cast<std::ptrdiff_t>(first);
  if (count < last - first)
    pieces_.erase(at + static_cast<std::ptrdiff_t>(count),
                  at + static_cast<std::ptrdiff_t>(last - first));
  else
    pieces_.insert(at, count - (last - first), Piece{});
  for (std::size_t i = 0; i < count; ++i) {
    const auto begin = maps.begin() + static_cast<std::ptrdiff_t>(maps.size() * i / count);
    const auto end = maps.begin() + static_cast<std::ptrdiff_t>(maps.size() * (i + 1) / count);
    pieces_[first + i] = {begin->start, std::make_shared<std::vector<PlacedMap>>(begin, end)};
  }
}

}  // namespace evname::session
