#include "recordings/session/address_maps.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "recordings/format/features.hpp"

namespace evname::perfdata::session {
namespace {

constexpr std::size_t kMaxCopied = 1 << 22;  // mappings that forks may multiply to
constexpr std::size_t kFew = 1024;  // mappings: more take longer to copy than threads to finish
constexpr std::uint32_t kExecutable = 4;  // PROT_EXEC
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

CodePlace ProcessMaps::find_in(const Maps& maps, std::uint64_t address) {
  auto at = maps.upper_bound(address);
  if (at == maps.begin() || (--at)->second.end <= address) return {};
  return {at->second.code, at->first, at->second.end, at->first + at->second.shift};
}

CodePlace ProcessMaps::find(std::uint64_t address, bool kernel) const {
  if (kernel) return find_in(kernel_->maps, address);
  return user_ ? find_in(user_->maps, address) : CodePlace{};
}

std::uint64_t ProcessMaps::file_offset(std::uint64_t address) const {
  const CodePlace place = find(address, false);
  return place.code ? address - place.start + place.offset : address;
}

std::string_view ProcessMaps::jitdump(std::int32_t pid) const {
  if (!user_) return {};
  const auto at = user_->jitdumps.find(pid);
  return at == user_->jitdumps.end() ? std::string_view{} : at->second->name;
}

AddressMaps::AddressMaps(const std::vector<BuildId>& build_ids, std::function<void()> before_change)
    : before_change_(std::move(before_change)) {
  for (const BuildId& one : build_ids) build_ids_.emplace(one.file, &one.id);
}

bool AddressMaps::apply(const Record& record, std::endian order) {
  Cursor in(record.body(), order);
  if (record.type == kRecordFork) {
    const auto pid = static_cast<std::int32_t>(in.u32()),
               parent = static_cast<std::int32_t>(in.u32());
    if (in.ok() && pid != parent && (record.misc & kMiscForkExec) == 0) fork(pid, parent);
    return in.ok();
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
  User& user = own(pid);
  if (is_jitdump(code.name)) user.jitdumps[pid] = code_of(code);
  const bool in_file = has_file(code.name) && (flags & kMapHuge) == 0;
  if (!in_file && (protection & kExecutable) != 0) {
    code.pid = pid;
    if ((flags & kMapHuge) != 0) code.name = "//anon";
  }
  const std::uint64_t of_start = code.name == "[vdso]" ? 0 : offset;
  add(user.maps, start, {start + size, in_file ? of_start - start : 0, code_of(std::move(code))});
  return true;
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
  announce();
  kernel_.generation = ++generation_;
  if (code->name.starts_with(kKernelName)) {
    if (offset != 0 && code->name.size() > kKernelName.size()) kernel_.text = offset;
    kernel_.build_id = code->build_id;
    if (const auto known = build_ids_.find(kKernelName);
        kernel_.build_id.empty() && known != build_ids_.end())
      kernel_.build_id = *known->second;
    if (end == start) end = UINT64_MAX;
  }
  add(kernel_.maps, start, {end, offset - start, code});
}

ProcessMaps& AddressMaps::changed(std::int32_t pid) {
  ProcessMaps& process = processes_.try_emplace(pid, ProcessMaps(kernel_)).first->second;
  process.generation_ = ++generation_;
  return process;
}

// Copies are of mappings that forked processes share, or of few that samples still refer to.
AddressMaps::User& AddressMaps::own(std::int32_t pid) {
  auto& user = changed(pid).user_;
  if (!user) {
    user = std::make_shared<User>();
  } else if (user->processes > 1) {
    copied_ += user->maps.size();
    --user->processes;
    user = copied_ < kMaxCopied ? std::make_shared<User>(*user) : std::make_shared<User>();
    user->processes = 1;
  } else if (user.use_count() > 1) {
    if (user->maps.size() > kFew) announce();
    if (user.use_count() > 1) user = std::make_shared<User>(*user);
  }
  return *user;
}

void AddressMaps::fork(std::int32_t pid, std::int32_t parent) {
  auto user = of(parent).user_;
  if (user) ++user->processes;
  ProcessMaps& process = changed(pid);
  if (process.user_) --process.user_->processes;
  process.user_ = std::move(user);
}

// A new mapping replaces what it covers of older ones.
void AddressMaps::add(ProcessMaps::Maps& maps, std::uint64_t start, const Map& map) {
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

}  // namespace evname::perfdata::session
