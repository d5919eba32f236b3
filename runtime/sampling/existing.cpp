#include "sampling/existing.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/file_identity.hpp"
#include "base/longest_names.hpp"
#include "base/read_file.hpp"
#include "base/text.hpp"
#include "counting/places.hpp"
#include "perf_format/module_name.hpp"
#include "perf_format/record.hpp"
#include "sampling/build_ids.hpp"

namespace evname::sampling {
namespace {

constexpr std::size_t kMostText = 64 << 20;  // of a file in procfs
constexpr std::uint32_t kNobody = UINT32_MAX;

/// A range of addresses that is mapped.
struct Mapped {
  std::uint32_t process = kNobody, thread = 0;
  std::uint64_t start = 0, size = 0, offset = 0;
  std::uint32_t protection = PROT_EXEC | PROT_READ, flags = MAP_PRIVATE;
  std::uint32_t major = 0, minor = 0;
  std::uint64_t inode = 0;
  std::string build_id;  ///< its bytes; "": unknown
  std::string path;
};

std::string with_header(std::uint32_t type, std::uint16_t misc, const std::string& body,
                        const MadeRecords& how) {
  return perf_format::make_record(std::endian::native, type, misc, body, how.id_size);
}

/// The fields that MMAP and MMAP2 begin with.
ByteWriter begin_mapping(const Mapped& at) {
  ByteWriter body(std::endian::native);
  body.u32(at.process);
  body.u32(at.thread);
  for (const std::uint64_t word : {at.start, at.size, at.offset}) body.u64(word);
  return body;
}

std::string mapping_record(const MadeRecords& how, const Mapped& at, std::uint16_t misc) {
  constexpr std::size_t kIdBytes = 20;
  ByteWriter body = begin_mapping(at);
  if (!at.build_id.empty() && at.build_id.size() <= kIdBytes) {
    misc |= perf_format::kMiscMmapBuildId;
    const char size[] = {static_cast<char>(at.build_id.size()), 0, 0, 0};
    body.raw(std::string_view(size, sizeof size));
    body.raw(at.build_id);
    body.zeros(kIdBytes - at.build_id.size());
  } else {
    body.u32(at.major);
    body.u32(at.minor);
    body.u64(at.inode);
    body.u64(0);  // generation of the inode
  }
  body.u32(at.protection);
  body.u32(at.flags);
  body.text(std::string_view(at.path).substr(0, kLongestPath), 8);
  return with_header(perf_format::kRecordMmap2, misc, body.bytes(), how);
}

/// A mapping of the kernel or of a module.
std::string kernel_record(const MadeRecords& how, const Mapped& at) {
  if (how.build_ids != nullptr) how.build_ids->add_kernel(at.path, at.build_id);
  if (how.ids_in_records) return mapping_record(how, at, perf_format::kCpuModeKernel);
  ByteWriter body = begin_mapping(at);
  body.text(std::string_view(at.path).substr(0, kLongestPath), 8);
  return with_header(perf_format::kRecordMmap, perf_format::kCpuModeKernel, body.bytes(), how);
}

std::string fork_record(const MadeRecords& how, std::uint32_t process, std::uint32_t parent,
                        std::uint32_t thread) {
  ByteWriter body(std::endian::native);
  for (const std::uint32_t id : {process, parent, thread, parent}) body.u32(id);
  body.u64(0);  // time
  // Marked as exec, so that the child does not get the parent's mappings.
  return with_header(perf_format::kRecordFork, perf_format::kMiscForkExec, body.bytes(), how);
}

/// Returns the build id in the kernel's notes of itself or of a module; "" if none.
std::string id_in_notes_file(const std::string& path) {
  const auto text = read_head(path, 1 << 16);
  if (!text) return {};
  return build_id_of_notes(
      Bytes(reinterpret_cast<const std::uint8_t*>(text->data()), text->size()));
}

/// The place of the kernel's own code; `start` is 0 if it is hidden.
struct KernelCode {
  std::string_view symbol;
  std::uint64_t start = 0, end = 0;
};

KernelCode find_kernel(const Roots& roots) {
  constexpr std::string_view kStarts[] = {"_text", "_stext"};
  constexpr std::string_view kEnds[] = {"_edata", "_etext"};
  std::map<std::string, std::uint64_t, std::less<>> found;
  (void)read_lines(roots.procfs + "/kallsyms", kMostText, [&](std::string_view line) {
    if (line.size() < 20 || line.find('\t') != line.npos) return;
    const std::string_view name = line.substr(line.rfind(' ') + 1);
    if (std::ranges::count(kStarts, name) + std::ranges::count(kEnds, name) == 0) return;
    found.emplace(name, parse_hex(line.substr(0, line.find(' '))).value_or(0));
  });
  KernelCode out;
  for (const std::string_view name : kStarts)
    if (const auto at = found.find(name); out.start == 0 && at != found.end()) {
      out.symbol = name;
      out.start = at->second;
    }
  for (const std::string_view name : kEnds)
    if (const auto at = found.find(name); out.end == 0 && at != found.end()) out.end = at->second;
  return out;
}

/// Returns the files of modules by their names, as depmod lists them.
std::map<std::string, std::string, std::less<>> module_files() {
  std::map<std::string, std::string, std::less<>> out;
  utsname system{};
  uname(&system);
  const std::string directory = fmt::format("/lib/modules/{}/", system.release);
  (void)read_lines(directory + "modules.dep", kMostText, [&](std::string_view line) {
    const std::string_view file = line.substr(0, line.find(':'));
    out.emplace(perf_format::module_name(file), directory + std::string(file));
  });
  return out;
}

void module_records(const MadeRecords& how, const RecordSink& sink) {
  const auto files = module_files();
  (void)read_lines(how.roots->procfs + "/modules", kMostText, [&](std::string_view line) {
    const auto words = split(line, ' ');  // name, size, users, their names, state, address
    if (words.size() < 6 || !words[5].starts_with("0x")) return;
    Mapped at;
    at.start = parse_hex(words[5].substr(2)).value_or(0);
    at.size = parse_decimal(words[1]).value_or(0);
    if (at.start == 0 || at.size == 0) return;
    const auto file = files.find(words[0]);
    at.path = file != files.end() ? file->second : fmt::format("[{}]", words[0]);
    at.build_id = id_in_notes_file(
        fmt::format("{}/module/{}/notes/.note.gnu.build-id", how.roots->sysfs, words[0]));
    sink(kernel_record(how, at));
  });
}

/// Reads "7f12-7f45 r-xp 00001000 08:01 1234   /path" of /proc/PID/maps.
std::optional<Mapped> mapping_of(std::string_view line) {
  std::vector<std::string_view> words;
  std::size_t at = 0;
  for (int i = 0; i < 5; ++i) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    words.push_back(line.substr(at, end - at));
    at = std::min(line.find_first_not_of(' ', end), line.size());
  }
  const auto dash = words[0].find('-'), colon = words[3].find(':');
  if (dash == line.npos || colon == line.npos || words[1].size() < 4) return std::nullopt;
  Mapped out;
  out.start = parse_hex(words[0].substr(0, dash)).value_or(0);
  const std::uint64_t end = parse_hex(words[0].substr(dash + 1)).value_or(0);
  if (end <= out.start) return std::nullopt;
  out.size = end - out.start;
  out.protection = (words[1][0] == 'r' ? PROT_READ : 0u) | (words[1][1] == 'w' ? PROT_WRITE : 0u) |
                   (words[1][2] == 'x' ? PROT_EXEC : 0u);
  out.flags = words[1][3] == 's' ? MAP_SHARED : MAP_PRIVATE;
  out.offset = parse_hex(words[2]).value_or(0);
  out.major = static_cast<std::uint32_t>(parse_hex(words[3].substr(0, colon)).value_or(0));
  out.minor = static_cast<std::uint32_t>(parse_hex(words[3].substr(colon + 1)).value_or(0));
  out.inode = parse_decimal(words[4]).value_or(0);
  out.path = line.substr(at);
  if (out.path.empty()) out.path = "//anon";
  return out;
}

std::string name_in(const std::string& directory) {
  const auto name = read_head(directory + "/comm");
  return name ? std::string(name->substr(0, name->find('\n'))) : std::string();
}

/// The build ids of files that are mapped into processes, each read once.
class MappedIds {
 public:
  /// Reads the file as the process sees it, which may be in a container.
  const std::string& of(const Mapped& at, const std::string& directory) {
    const FileInode inode{at.major, at.minor, at.inode, 0};
    const auto [known, is_new] = ids_.try_emplace(inode);
    if (is_new && at.inode != 0 && at.path.starts_with('/'))
      known->second = build_id_of_file(directory + "/root" + at.path, inode);
    return known->second;
  }

 private:
  std::map<FileInode, std::string> ids_;
};

void mapping_records(const MadeRecords& how, std::uint32_t process, MappedIds& ids,
                     const RecordSink& sink) {
  const std::string directory = fmt::format("{}/{}", how.roots->procfs, process);
  (void)read_lines(directory + "/maps", kMostText, [&](std::string_view line) {
    auto at = mapping_of(line);
    if (!at || ((at->protection & PROT_EXEC) == 0 && !how.data_mappings)) return;
    at->process = at->thread = process;
    if (how.ids_in_records) at->build_id = ids.of(*at, directory);
    sink(mapping_record(how, *at, perf_format::kCpuModeUser));
  });
}

/// Returns the number after "Tgid:" or "PPid:" in /proc/PID/status; 0 if it is missing.
std::uint32_t status_number(const Roots& roots, int thread, std::string_view key) {
  const auto text = read_head(fmt::format("{}/{}/status", roots.procfs, thread), 1 << 16);
  if (!text) return 0;
  for (const std::string_view line : split(*text, '\n'))
    if (line.starts_with(key))
      return static_cast<std::uint32_t>(parse_decimal(trim(line.substr(key.size()))).value_or(0));
  return 0;
}

void records_of_process(const MadeRecords& how, int process, MappedIds& ids,
                        const RecordSink& sink) {
  const std::string directory = fmt::format("{}/{}", how.roots->procfs, process);
  const auto number = static_cast<std::uint32_t>(process);
  sink(fork_record(how, number, status_number(*how.roots, process, "PPid:"), number));
  sink(name_record(how, process, process, name_in(directory)));
  for (const std::string& task : list_directory(directory + "/task")) {
    const auto thread = parse_decimal(task);
    if (!thread || *thread == number || *thread > INT32_MAX) continue;
    sink(fork_record(how, number, number, static_cast<std::uint32_t>(*thread)));
    sink(
        name_record(how, process, static_cast<int>(*thread), name_in(directory + "/task/" + task)));
  }
  if (how.mappings) mapping_records(how, number, ids, sink);
}

}  // namespace

std::string name_record(const MadeRecords& how, int process, int thread, std::string_view name) {
  ByteWriter body(std::endian::native);
  body.u32(static_cast<std::uint32_t>(process));
  body.u32(static_cast<std::uint32_t>(thread));
  body.text(name.substr(0, kLongestPath), 8);
  return with_header(perf_format::kRecordComm, 0, body.bytes(), how);
}

std::string name_of_thread(const Roots& roots, int thread) {
  return name_in(fmt::format("{}/{}", roots.procfs, thread));
}

int process_of(const Roots& roots, int thread) {
  const std::uint32_t found = status_number(roots, thread, "Tgid:");
  return found != 0 ? static_cast<int>(found) : thread;
}

bool kernel_records(const MadeRecords& how, const RecordSink& sink) {
  const KernelCode kernel = find_kernel(*how.roots);
  if (kernel.start == 0) return false;
  Mapped at;
  at.start = at.offset = kernel.start;
  at.size = kernel.end > kernel.start ? kernel.end - kernel.start : UINT64_MAX - kernel.start;
  at.path = fmt::format("[kernel.kallsyms]{}", kernel.symbol);
  at.build_id = id_in_notes_file(how.roots->sysfs + "/kernel/notes");
  sink(kernel_record(how, at));
  module_records(how, sink);
  return true;
}

/// Passes on a record for each cgroup, whose id is the inode of its directory.
void cgroup_records(const MadeRecords& how, const RecordSink& sink) {
  constexpr std::size_t kMostCgroups = 1 << 17;
  const std::string mount = counting::cgroup_mount(*how.roots);
  std::vector<std::pair<std::string, ino_t>> found;
  const auto look_at = [&](std::string path) {
    struct stat folder {};
    if (::lstat((mount + path).c_str(), &folder) == 0 && S_ISDIR(folder.st_mode))
      found.emplace_back(std::move(path), folder.st_ino);
  };
  if (!mount.empty()) look_at("/");
  for (std::size_t i = 0; i < found.size() && found.size() < kMostCgroups; ++i) {
    const auto [path, id] = found[i];
    ByteWriter body(std::endian::native);
    body.u64(id);
    body.text(std::string_view(path).substr(0, kLongestPath), 8);
    sink(with_header(perf_format::kRecordCgroup, 0, body.bytes(), how));
    for (const std::string& name : list_directory(mount + path))
      look_at((path == "/" ? "" : path) + "/" + name);
  }
}

std::vector<int> with_descendants(const Roots& roots, std::vector<int> processes) {
  std::multimap<int, int> children;
  for (const std::string& name : list_directory(roots.procfs, 1 << 22)) {
    const auto process = parse_decimal(name);
    if (!process || *process > INT32_MAX) continue;
    const auto number = static_cast<int>(*process);
    children.emplace(static_cast<int>(status_number(roots, number, "PPid:")), number);
  }
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const auto [first, last] = children.equal_range(processes[i]);
    for (auto child = first; child != last; ++child)
      if (std::ranges::count(processes, child->second) == 0) processes.push_back(child->second);
  }
  return processes;
}

void process_records(const MadeRecords& how, std::span<const int> processes,
                     const RecordSink& sink) {
  MappedIds ids;
  for (const int process : processes) records_of_process(how, process, ids, sink);
  if (!processes.empty()) return;
  for (const std::string& name : list_directory(how.roots->procfs, 1 << 22))
    if (const auto process = parse_decimal(name); process && *process <= INT32_MAX)
      records_of_process(how, static_cast<int>(*process), ids, sink);
}

}  // namespace evname::sampling
