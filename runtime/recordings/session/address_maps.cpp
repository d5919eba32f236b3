#include "recordings/session/address_maps.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "perf_format/typed_records.hpp"
#include "recordings/symbols/mapping_kinds.hpp"

namespace evname::session {
namespace {

constexpr std::size_t kMaxCopied = 1 << 22;  // limit of pieces, which forks multiply
constexpr std::size_t kFew =
    1 << 14;  // mappings; copying more takes longer than waiting for threads
constexpr std::uint32_t kExecutable = 4;  // PROT_EXEC
/// simpleperf's PROT_JIT_SYMFILE_MAP: the symbols of the file have addresses of the process.
constexpr std::uint32_t kSymbolsByAddress = 0x4000;
constexpr std::uint32_t kMapShared = 1;      // MAP_SHARED
constexpr std::uint32_t kMapHuge = 0x40000;  // MAP_HUGETLB of most architectures

/// ".../jit-PID.dump", which a JIT compiler maps so that recordings name it.
bool is_jitdump(std::string_view path) {
  const std::string_view name = last_part(path);
  return name.starts_with("jit-") && name.ends_with(".dump");
}

}  // namespace

void MappedBy::add(std::int32_t pid) {
  for (auto& one : pids_) {
    if (one == pid) return;
    if (one != 0 && &one != &pids_.back()) continue;
    one = pid;
    return;
  }
}

MappedRange ProcessMaps::find(std::uint64_t address, bool kernel) const {
  if (!kernel && !user_) return {};
  const PlacedMap* const map = (kernel ? kernel_->maps : user_->maps).find(address);
  return map ? range_of(*map) : MappedRange{};
}

MappedRange ProcessMaps::beyond_image(std::uint64_t address) const {
  const MappedRange& image = kernel_->image;
  return image.dso && address >= image.end ? image : MappedRange{};
}

Mapping ProcessMaps::mapping(const MappedRange& range, const SampleTime& when) const {
  const Dso& dso = *range.dso;
  Mapping mapping{.file = dso.name,
                  .build_id = dso.build_id,
                  .start = range.start,
                  .end = range.end,
                  .offset = dso.kernel ? kernel_->text : range.offset,
                  .pid = dso.pid,
                  .kernel = dso.kernel,
                  .kernel_build_id = kernel_->build_id,
                  .kernel_release = kernel_->recorded_on.release,
                  .machine = kernel_->recorded_on.machine,
                  .big_endian = kernel_->recorded_on.big_endian,
                  .is_function = dso.is_function,
                  .inode = dso.inode,
                  .here_until = kernel_->recorded_on.here_until,
                  .names = kernel_->recorded_on.names};
  if (dso.is_function && kernel_->recorded_on.bpf_lines)
    mapping.lines = kernel_->recorded_on.bpf_lines->of(range.start, dso.name);
  if (dso.mapped_by.pids().front() != 0) mapping.processes = dso.mapped_by.pids();
  if (const auto* const dump = jitdump_of(range)) {
    mapping.pid = dump->first;
    set_jitdump(mapping, dump->second, when);
  }
  return mapping;
}

const std::pair<const std::int32_t, ProcessMaps::Jitdump>* ProcessMaps::jitdump_of(
    const MappedRange& range) const {
  if (!user_ || user_->jitdumps.empty() || range.dso->kernel) return nullptr;
  const auto& dumps = user_->jitdumps;
  if (range.dso->pid != -1) {
    const auto at = dumps.find(range.dso->pid);
    return at == dumps.end() ? nullptr : &*at;
  }
  if (user_->newer.find(range.start)) return nullptr;
  const auto own =
      std::ranges::find(dumps, UINT64_MAX, [](const auto& dump) { return dump.second.until; });
  return own == dumps.end() ? &*dumps.begin() : &*own;
}

void ProcessMaps::set_jitdump(Mapping& mapping, const Jitdump& dump, const SampleTime& when) const {
  mapping.jitdump = dump.dso->name;
  const std::uint64_t time = std::min(when.time, dump.until);
  if (when.clock == SampleTime::Clock::monotonic) mapping.time = time;
  if (when.clock == SampleTime::Clock::kernel && !kernel_->counter.is_missing())
    mapping.counter = kernel_->counter.last_count_of(time);
}

AddressMaps::AddressMaps(const std::vector<perf_format::BuildId>& build_ids,
                         std::function<void()> before_change, const RecordedOn& recorded_on)
    : before_change_(std::move(before_change)), build_ids_(build_ids) {
  kernel_.recorded_on = recorded_on;
  for (const auto& [pid, start, end] : recorded_on.run_time_code)
    own(pid).maps.add({start, end, 0, dso_of({.name = "//anon", .pid = pid})});
}

namespace {

/// The mapping in a record.
struct MapRecord {
  std::int32_t pid = 0;
  std::uint64_t start = 0, size = 0, offset = 0;
  std::uint32_t flags = 0, protection = kExecutable;
  Dso dso = {};
};

/// Returns nullopt if the record is damaged.
std::optional<MapRecord> read_mapping(const perf_format::Record& record, std::endian order) {
  const auto map = perf_format::read_as<Record::Map>(record, order);
  if (!map) return std::nullopt;
  MapRecord out{map->pid, map->start, map->size, map->offset};
  if (record.type == perf_format::kRecordMmap2) {
    out.protection = map->protection;
    out.flags = map->flags;
  }
  out.dso.name = map->file;
  out.dso.build_id.assign(map->build_id.begin(), map->build_id.end());
  out.dso.inode = {map->device_major, map->device_minor, map->inode, map->generation};
  return out;
}

/// Returns what was mapped where a process has memory of its own now, if that may be a copy of it:
/// programs copy their text to large pages at the same addresses, as V8, iodlr and BOLT's hugify
/// do, which may round the range to such pages. nullptr: it is no copy.
const PlacedMap* copied_text(const MapList& maps, const PlacedMap& copy) {
  constexpr std::uint64_t kLargePage = 2 << 20;
  if (copy.dso->pid == -1 || copy.dso->shared || copy.start == copy.end) return nullptr;
  const PlacedMap* const at = maps.find(copy.start + (copy.end - copy.start) / 2);
  const bool is_file = at && at->dso->name.starts_with('/') &&
                       (at->dso->pid == -1 || !symbols::is_named_memory(at->dso->name)) &&
                       !symbols::is_without_file(at->dso->name) && !is_jitdump(at->dso->name);
  const bool fits = is_file && copy.start >= at->start / kLargePage * kLargePage &&
                    copy.end - 1 <= ((at->end - 1) | (kLargePage - 1));
  return fits ? at : nullptr;
}

}  // namespace

bool AddressMaps::apply(const perf_format::Record& record, std::endian order) {
  if (record.type == perf_format::kRecordFork) {
    const auto task = perf_format::read_as<Record::Task>(record, order);
    if (task && task->pid != task->parent_pid && !task->is_exec)
      fork(task->pid, task->parent_pid, task->time != 0 ? task->time : UINT64_MAX);
    return task.has_value();
  }
  if (record.type == perf_format::kRecordTimeConv) {
    kernel_.counter = perf_format::CounterClock(record.body(), order);
    return true;
  }
  if (record.type == perf_format::kRecordKsymbol) return made_function(record, order);
  if (record.type != perf_format::kRecordMmap && record.type != perf_format::kRecordMmap2)
    return true;
  return map(record, order, nullptr);
}

bool AddressMaps::map(const perf_format::Record& record, std::endian order, User* copy) {
  auto mapping = read_mapping(record, order);
  if (!mapping) return false;
  auto& [pid, start, size, offset, flags, protection, dso] = *mapping;
  const std::uint16_t mode = record.misc & perf_format::kCpuMode;
  if ((mode != perf_format::kCpuModeUser && mode != perf_format::kCpuModeKernel) ||
      size > UINT64_MAX - start)
    return true;
  dso.kernel = mode == perf_format::kCpuModeKernel;
  std::string shown_name = identify(dso, start);
  if (dso.kernel) {
    if (!copy) add_kernel(start, start + size, offset, std::move(dso), std::move(shown_name));
    return true;
  }
  // All processes outside the recorder's PID namespace have pid 0, and they share no memory.
  if (pid == 0) return true;
  User& user = copy ? *copy : own(pid);
  if (is_jitdump(dso.name)) {
    user.jitdumps[pid] = {dso_of(dso)};
    user.newer = {};
  }
  const bool in_file =
      (dso.name.empty() || !symbols::is_without_file(dso.name)) && (flags & kMapHuge) == 0;
  if ((!in_file || symbols::is_named_memory(dso.name)) && (protection & kExecutable) != 0) {
    dso.pid = pid;
    if ((flags & kMapHuge) != 0) dso.name = "//anon";
  }
  if (!in_file) dso.inode = {};
  if ((protection & kSymbolsByAddress) != 0) offset = start;
  dso.shared = !in_file && (flags & kMapShared) != 0;
  const std::uint64_t of_start = dso.name == "[vdso]" ? 0 : offset;
  const PlacedMap placed{start, start + size, in_file ? of_start - start : 0,
                         dso_of(std::move(dso))};
  if (in_file && placed.dso->name.starts_with('/')) placed.dso->mapped_by.add(pid);
  if (const PlacedMap* const text = copied_text(user.maps, placed)) {
    // The same code, unless a JIT compiler has put other code where the file was.
    Dso of_process = *text->dso;
    of_process.pid = pid;
    const PlacedMap copy{std::max(placed.start, text->start), std::min(placed.end, text->end),
                         text->shift, dso_of(std::move(of_process))};
    user.maps.add(copy);
    return true;
  }
  if (in_file && placed.dso->pid == -1 && !user.jitdumps.empty()) user.newer.add(placed);
  user.maps.add(placed);
  return true;
}

const ProcessMaps& AddressMaps::ahead(std::int32_t pid,
                                      std::span<const perf_format::Record> records,
                                      std::endian order) {
  const ProcessMaps& now = of(pid);
  const Ahead key{pid, now.generation(false), records.front().offset, records.back().offset};
  if (key == ahead_of_) return ahead_;
  auto user = now.user_ ? std::make_shared<User>(*now.user_) : std::make_shared<User>();
  user->processes = 1;
  for (const perf_format::Record& record : records) map(record, order, user.get());
  ahead_.user_ = std::move(user);
  ahead_.generation_ = ++generation_;
  ahead_of_ = key;
  return ahead_;
}

// The vdso of a 32-bit process is another file of the same name.
std::string AddressMaps::identify(Dso& dso, std::uint64_t start) const {
  const bool is_image = dso.kernel && symbols::is_kernel_image(dso.name);
  const bool is_module = dso.kernel && !is_image && symbols::is_module(dso.name);
  const bool is_other_vdso = symbols::is_vdso(dso.name) &&
                             symbols::is_of_narrow_process(start, kernel_.recorded_on.machine);
  const perf_format::BuildId* const entry = is_image        ? build_ids_.kernel()
                                            : is_module     ? build_ids_.module(dso.name)
                                            : is_other_vdso ? nullptr
                                                            : build_ids_.file(dso.name);
  if (entry && dso.build_id.empty()) dso.build_id = entry->id;
  if (!dso.build_id.empty()) dso.inode = {};
  if (entry && is_module) dso.name = entry->file;
  if (!dso.kernel) return {};
  return entry && is_module ? entry->file
                            : dso_name({.file = entry ? entry->file : dso.name, .kernel = true});
}

const Dso* AddressMaps::dso_of(Dso dso, std::string shown_name) {
  Dsos& dsos = *kernel_.dsos;
  if (const auto known = dsos.find(dso); known != dsos.end()) return &*known;
  if (!dso.kernel) shown_name = dso_name({.file = dso.name, .pid = dso.pid});
  if (shown_name != dso.name || !dso.build_id.empty())
    dso.texts = std::make_shared<Dso::Texts>(std::move(shown_name), hex_text(dso.build_id));
  return &*dsos.insert(std::move(dso)).first;
}

// The kernel's own mapping has the address of the symbol in its name in place of an offset:
// machine__process_kernel_mmap_event of tools/perf/util/machine.c.
void AddressMaps::add_kernel(std::uint64_t start, std::uint64_t end, std::uint64_t offset,
                             Dso mapped, std::string shown_name) {
  announce();
  kernel_.generation = ++generation_;
  const bool is_image = !mapped.is_function && symbols::is_kernel_image(mapped.name);
  const Dso* const dso = dso_of(std::move(mapped), std::move(shown_name));
  if (is_image) {
    const bool has_symbol = !dso->name.ends_with(']');
    if (offset != 0 && has_symbol) kernel_.text = offset;
    kernel_.build_id = dso->build_id;
    if (end == start) end = UINT64_MAX;
    kernel_.image = {dso, start, end, offset};
  }
  kernel_.maps.add({start, end, offset - start, dso});
}

// machine__process_ksymbol of tools/perf/util/machine.c: functions inside existing mappings are
// left to their symbols.
bool AddressMaps::made_function(const perf_format::Record& record, std::endian order) {
  const auto symbol = perf_format::read_as<Record::Ksymbol>(record, order);
  if (!symbol) return false;
  const std::uint64_t start = symbol->address, size = symbol->size;
  const bool is_gone = symbol->is_gone;
  const std::string_view name = symbol->name;
  if (name.empty() || size > UINT64_MAX - start) return true;
  const PlacedMap* const at = kernel_.maps.find(start);
  if (is_gone ? !at || !at->dso || !at->dso->is_function : at && at->dso) return true;
  if (!is_gone) {
    add_kernel(start, start + size, 0,
               {.name = std::string(name), .kernel = true, .is_function = true}, std::string(name));
    return true;
  }
  announce();
  kernel_.generation = ++generation_;
  kernel_.maps.remove(*at);
  return true;
}

ProcessMaps& AddressMaps::changed(std::int32_t pid) {
  ProcessMaps& process = processes_.try_emplace(pid, ProcessMaps(kernel_)).first->second;
  process.generation_ = ++generation_;
  return process;
}

// Copies are shared by forked processes, or small and still in use by samples.
AddressMaps::User& AddressMaps::own(std::int32_t pid) {
  auto& user = changed(pid).user_;
  if (!user) {
    user = std::make_shared<User>();
  } else if (user->processes > 1) {
    copied_ += user->maps.pieces() + 1;
    --user->processes;
    const bool fits = copied_ < kMaxCopied;
    user = fits ? std::make_shared<User>(*user) : std::make_shared<User>();
    emptied_ += !fits;
    user->processes = 1;
  } else if (user.use_count() > 1) {
    if (user->maps.size() > kFew) announce();
    if (user.use_count() > 1) user = std::make_shared<User>(*user);
  }
  return *user;
}

// The child does not get later code of its parent's JIT compiler.
void AddressMaps::fork(std::int32_t pid, std::int32_t parent, std::uint64_t time) {
  auto user = of(parent).user_;
  if (user) ++user->processes;
  ProcessMaps& process = changed(pid);
  if (process.user_) --process.user_->processes;
  process.user_ = std::move(user);
  if (!process.user_ || process.user_->jitdumps.empty()) return;
  for (auto& [compiler, dump] : own(pid).jitdumps) dump.until = std::min(dump.until, time);
}

}  // namespace evname::session
