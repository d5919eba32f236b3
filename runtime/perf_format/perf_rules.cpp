#include "perf_format/perf_rules.hpp"

#include <algorithm>
#include <climits>
#include <iterator>
#include <vector>

#include "base/text.hpp"

namespace evname::perf_format {
namespace {

/// PerfRule::layout, at a feature.
class Layout {
 public:
  Layout(std::string_view text, Cursor& in) : text_(text), in_(in) {}

  /// Returns why the bytes don't have this form; "" if they do.
  std::string_view check() {
    while (why_.empty() && at_ < text_.size()) item();
    return why_.empty() && !in_.ok() ? "is broken" : why_;
  }

 private:
  void item() {
    switch (const char kind = text_[at_++]) {
      case 'u':
        in_.u32();
        break;
      case 'U':
        in_.u64();
        break;
      case 'v':
      case 'V':
        version(kind == 'v' ? in_.u32() : in_.u64());
        break;
      case 's':
        text();
        break;
      case 'c':
        cpu_list();
        break;
      case 'p':
        program();
        break;
      case 't':
        types();
        break;
      case 'm':
        memory();
        break;
      case '[':
        list(in_.u32());
        break;
      case '{':
        list(in_.u64());
        break;
      default:
        break;  // a blank
    }
  }

  void fail(std::string_view why) {
    if (why_.empty() && in_.ok()) why_ = why;
  }
  void version(std::uint64_t number) {
    if (number != 1) fail("has a version that perf does not know");
  }
  std::string_view text() {
    const std::uint32_t size = in_.u32();
    if (size == 0) fail("has a text without its end");
    return in_.text(size);
  }
  void cpu_list() {
    const std::string_view list = text();
    if (!list.empty() && list.find_first_not_of("0123456789,-") != list.npos)
      fail("has a list of CPUs that is none");
  }
  void program() {
    constexpr std::uint32_t kInfo = 232;  // struct bpf_prog_info of Linux 7.3
    const std::uint32_t info = in_.u32(), data = in_.u32();
    if (info > kInfo) fail("is of a newer kernel");
    if (data > kMostData) fail(kTooLarge);
    in_.skip(8 + std::uint64_t{info} + data);
  }
  void types() {
    in_.u32();
    const std::uint32_t size = in_.u32();
    if (size > kMostData) fail(kTooLarge);
    in_.skip(size);
  }
  void memory() {
    in_.skip(16);
    const std::uint64_t bits = in_.u64();
    if (bits > INT_MAX) fail(kTooLarge);
    in_.skip_array(bits / 64 + (bits % 64 != 0), 8);
  }
  void list(std::uint64_t count) {
    std::uint64_t most = 0;
    while (text_[at_] >= '0' && text_[at_] <= '9') most = most * 10 + (text_[at_++] - '0');
    if (count > most) return fail(kTooLarge);
    const std::size_t begin = at_, end = end_of_list();
    for (std::uint64_t i = 0; i < count && in_.ok() && why_.empty(); ++i)
      for (at_ = begin; at_ < end;) item();
    at_ = end + 1;
  }
  std::size_t end_of_list() const {
    std::size_t at = at_, depth = 1;
    for (;; ++at) {
      if (text_[at] == '[' || text_[at] == '{') ++depth;
      if ((text_[at] == ']' || text_[at] == '}') && --depth == 0) return at;
    }
  }

  static constexpr std::uint32_t kMostData = 256 << 20;
  static constexpr std::string_view kTooLarge = "has a number that is too large for perf";

  std::string_view text_;
  Cursor& in_;
  std::size_t at_ = 0;
  std::string_view why_;
};

}  // namespace

std::string_view check_cpus(Cursor& in, const PerfReader&) {
  constexpr std::uint32_t kMost = 1 << 20;
  const std::uint32_t available = in.u32(), online = in.u32();
  return online > available || available > kMost ? "has more CPUs online than there are" : "";
}

std::string_view check_block(Cursor& in, const PerfReader&) {
  constexpr std::uint32_t kBlock = 4096;
  in.skip(16);
  const std::uint32_t size = in.u32();
  return size == 0 || size % kBlock != 0 ? "has no size of blocks" : "";
}

std::string_view check_directory(Cursor&, const PerfReader& reader) {
  return reader.is_directory ? "" : "is in a file that is in no directory";
}

namespace {

/// Reads texts as a list of CPU_TOPOLOGY; returns the bytes that perf takes them to have.
std::uint64_t skip_texts(Cursor& in, std::uint32_t most, bool& few) {
  constexpr std::uint64_t kAlign = 64;
  const std::uint32_t count = in.u32();
  std::uint64_t size = 4;
  few = few && count <= most;
  for (std::uint32_t i = 0; i < count && in.ok() && few; ++i) {
    const std::uint32_t length = in.u32();
    size += 4 + (in.text(length).size() / kAlign + 1) * kAlign;
    few = few && length > 0;
  }
  return size;
}

}  // namespace

// Older perfs wrote neither the cores and packages of CPUs nor their dies.
std::string_view check_topology(Cursor& in, const PerfReader& reader) {
  if (reader.cpus == 0) return "comes without NRCPUS";
  const std::uint64_t bytes = in.remaining();
  bool few = true;
  std::uint64_t size = skip_texts(in, reader.cpus, few);
  if (few) size += skip_texts(in, reader.cpus, few);
  if (!few) return "has more entries than there are CPUs";
  if (!in.ok() || bytes <= size) return "";
  in.skip_array(reader.cpus, 8);
  size += 8 * std::uint64_t{reader.cpus};
  if (!in.ok() || bytes <= size) return "";
  skip_texts(in, reader.cpus, few);
  if (!few) return "has more entries than there are CPUs";
  in.skip_array(reader.cpus, 4);
  return "";
}

// The groups must consist of consecutive events.
std::string_view check_groups(Cursor& in, const PerfReader& reader) {
  struct Group {
    std::uint32_t leader, members;
  };
  std::vector<Group> groups;
  for (std::uint32_t left = in.u32(); left > 0 && in.ok(); --left) {
    in.text(in.u32());
    const std::uint32_t leader = in.u32();
    groups.push_back({leader, in.u32()});
  }
  std::size_t next = 0;
  std::uint32_t missing = 0;
  for (std::size_t event = 0; event < reader.events; ++event) {
    if (next < groups.size() && groups[next].leader == event) {
      if (missing > 0) return "has groups that overlap";
      missing = groups[next++].members - 1;
    } else if (missing > 0) {
      --missing;
    }
  }
  const bool fits = groups.empty() || (next == groups.size() && missing == 0);
  return fits ? "" : "has groups of events that the file does not have";
}

std::string_view check_auxtrace(Cursor& in, const PerfReader&) {
  const std::uint64_t count = in.u64();
  in.skip_array(count, 16);
  return "";
}

std::string_view check_domains(Cursor& in, const PerfReader& reader) {
  constexpr std::uint32_t kMost = 64, kNamed = 17;
  if (reader.cpus == 0 || reader.online == 0) return "comes without NRCPUS";
  const std::uint32_t version = in.u32(), most = in.u32();
  if (most > kMost) return "has a number that is too large for perf";
  std::vector<std::uint32_t> cpus;
  for (std::uint32_t i = 0; i < reader.online && in.ok(); ++i) {
    const std::uint32_t cpu = in.u32(), count = in.u32();
    if (cpu >= reader.cpus || count > most) return "has a number that is too large for perf";
    cpus.push_back(cpu);
    std::vector<bool> seen(most);
    for (std::uint32_t j = 0; j < count && in.ok(); ++j) {
      const std::uint32_t domain = in.u32();
      if (domain >= most) return "has a number that is too large for perf";
      if (seen[domain]) return "has a domain twice";
      seen[domain] = true;
      if (auto why = Layout(version >= kNamed ? "sss" : "ss", in).check(); !why.empty()) return why;
    }
  }
  std::sort(cpus.begin(), cpus.end());
  const bool twice = std::adjacent_find(cpus.begin(), cpus.end()) != cpus.end();
  return in.ok() && twice ? "has a CPU twice" : "";
}

std::string_view why_perf_refuses(const PerfRule& rule, Bytes content, const PerfReader& reader) {
  const bool is_read = !rule.layout.empty() || rule.check != nullptr;
  if (!is_read || (rule.native && reader.order != std::endian::native)) return {};
  Cursor in(content, reader.order);
  if (const std::string_view why = Layout(rule.layout, in).check(); !why.empty())
    return content.empty() ? "is empty" : why;
  if (!rule.check) return {};
  Cursor again(content, reader.order);
  const std::string_view why = rule.check(again, reader);
  if (!why.empty()) return why;
  return again.ok() ? why : content.empty() ? "is empty" : "is broken";
}

}  // namespace evname::perf_format
