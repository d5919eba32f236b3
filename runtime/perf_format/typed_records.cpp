#include "perf_format/typed_records.hpp"

#include <algorithm>
#include <array>

namespace evname::perf_format {
namespace {

using Typed = evname::Record;

constexpr std::uint32_t kProtExec = 4;

/// Reads the members of a record from its body, in the order of the kernel's struct.
class Reader {
 public:
  Reader(const Record& record, std::endian order)
      : in_(record.body(), order), record_(record), swapped_(order != std::endian::native) {}

  bool ok() const { return in_.ok(); }
  bool is_early_mmap2() const { return perf_format::is_early_mmap2(record_); }
  bool has(std::uint16_t misc) const { return (record_.misc & misc) != 0; }
  std::uint32_t type() const { return record_.type; }
  Bytes payload() const { return record_.payload; }
  std::size_t remaining() const { return in_.remaining(); }
  void skip(std::uint64_t bytes) { in_.skip(bytes); }
  Bytes bytes(std::uint64_t count) { return in_.bytes(count); }
  std::string_view text(std::uint64_t most) { return in_.text(most); }
  std::string_view name() {
    return in_.text(in_.remaining()).substr(0, longest_name(record_.type));
  }
  SampleWords words(std::uint64_t count) { return {in_.array(count, 8), swapped_}; }
  SampleWords words() { return words(in_.remaining() / 8); }
  std::uint64_t big_u64() {
    const Bytes bytes = in_.bytes(8);
    return in_.ok() ? load<std::uint64_t>(bytes.data(), std::endian::big) : 0;
  }

  /// Reads numbers, each of its own size.
  template <class... Numbers>
  void numbers(Numbers&... numbers) {
    (number(numbers), ...);
  }

 private:
  void number(std::uint16_t& value) { value = in_.u16(); }
  void number(std::uint32_t& value) { value = in_.u32(); }
  void number(std::int32_t& value) { value = static_cast<std::int32_t>(in_.u32()); }
  void number(std::uint64_t& value) { value = in_.u64(); }

  Cursor in_;
  const Record& record_;
  bool swapped_;
};

/// Reads a build id: its bytes, of a fixed room, and their number before or after them, which perf
/// limits to the room.
Bytes build_id_of(Bytes room, std::size_t size) {
  return room.first(std::min({size, kBuildIdBytes, room.size()}));
}

constexpr std::size_t kEarlyName = 64, kMmap2Name = 72;  // their places in the record

}  // namespace

bool is_early_mmap2(const Record& record) {
  if (record.type != kRecordMmap2 || (record.misc & kMiscMmapBuildId) != 0 ||
      record.bytes.size() < kMmap2Name)
    return false;
  const std::string_view name =
      Cursor::until_nul(record.bytes.subspan(kEarlyName, kMmap2Name - kEarlyName));
  return name.size() > 1 && (name[0] == '/' || name[0] == '[') &&
         std::ranges::all_of(name,
                             [](char letter) { return static_cast<unsigned char>(letter) >= ' '; });
}

namespace {

void read(Reader& in, Typed::Map& out) {
  in.numbers(out.pid, out.tid, out.start, out.size, out.offset);
  out.is_data = in.has(kMiscMmapData);
  out.protection = out.is_data ? 0 : kProtExec;
  if (in.type() == kRecordMmap2) {
    if (in.has(kMiscMmapBuildId)) {
      const Bytes size = in.bytes(4);
      out.build_id = build_id_of(in.bytes(kBuildIdBytes), size.empty() ? 0 : size[0]);
    } else {
      in.numbers(out.device_major, out.device_minor, out.inode, out.generation);
    }
    if (!in.is_early_mmap2()) in.numbers(out.protection, out.flags);
  }
  out.file = in.name();
}

void read(Reader& in, Typed::Lost& out) { in.numbers(out.id, out.lost); }

void read(Reader& in, Typed::Comm& out) {
  in.numbers(out.pid, out.tid);
  out.is_exec = in.has(kMiscCommExec);
  out.name = in.name();
}

// Old recorders wrote no time.
void read(Reader& in, Typed::Task& out) {
  in.numbers(out.pid, out.parent_pid, out.tid, out.parent_tid);
  out.is_exec = in.type() == kRecordFork && in.has(kMiscForkExec);
  if (in.remaining() >= sizeof out.time) in.numbers(out.time);
}

void read(Reader& in, Typed::Throttle& out) { in.numbers(out.time, out.id, out.stream_id); }

void read(Reader& in, Typed::Read& out) {
  in.numbers(out.pid, out.tid);
  out.values = in.words();
}

void read(Reader& in, Typed::Aux& out) { in.numbers(out.offset, out.size, out.flags); }

void read(Reader& in, Typed::ItraceStart& out) { in.numbers(out.pid, out.tid); }

void read(Reader& in, Typed::LostSamples& out) {
  in.numbers(out.lost);
  out.by_bpf = in.has(kMiscLostSamplesBpf);
}

void read(Reader& in, Typed::Switch& out) {
  out.is_out = in.has(kMiscSwitchOut);
  out.is_preempted = in.has(kMiscSwitchPreempted);
  if (in.type() == kRecordSwitchCpuWide) in.numbers(out.other_pid, out.other_tid);
}

void read(Reader& in, Typed::Namespaces& out) {
  std::uint64_t count = 0;
  in.numbers(out.pid, out.tid, count);
  out.links = in.words(2 * std::min<std::uint64_t>(count, in.remaining() / 16));
}

void read(Reader& in, Typed::Ksymbol& out) {
  in.numbers(out.address, out.size, out.kind, out.flags);
  out.is_gone = (out.flags & kKsymbolUnregister) != 0;
  out.name = in.name();
}

void read(Reader& in, Typed::BpfEvent& out) {
  in.numbers(out.kind, out.flags, out.id);
  out.tag = in.big_u64();
}

void read(Reader& in, Typed::Cgroup& out) {
  in.numbers(out.id);
  out.path = in.name();
}

void read(Reader& in, Typed::TextPoke& out) {
  std::uint16_t old_size = 0, new_size = 0;
  in.numbers(out.address, old_size, new_size);
  out.old_bytes = in.bytes(old_size);
  out.new_bytes = in.bytes(new_size);
}

void read(Reader& in, Typed::AuxOutputHwId& out) { in.numbers(out.hw_id); }

void read(Reader& in, Typed::CallchainDeferred& out) {
  std::uint64_t count = 0;
  in.numbers(out.cookie, count);
  out.callchain = in.words(count);
}

void read(Reader& in, Typed::AuxtraceInfo& out) {
  in.numbers(out.kind);
  in.skip(4);
  out.words = in.words();
}

void read(Reader& in, Typed::Auxtrace& out) {
  in.numbers(out.size, out.offset, out.reference, out.index, out.tid, out.cpu);
  out.data = in.payload();
}

// The first format had no time.
void read(Reader& in, Typed::AuxtraceError& out) {
  constexpr std::size_t kMessageBytes = 64;
  std::uint32_t format = 0;
  in.numbers(out.kind, out.code, out.cpu, out.pid, out.tid, format, out.address);
  if (format > 0) in.numbers(out.time);
  out.message = in.text(std::min(in.remaining(), kMessageBytes));
}

void read(Reader& in, Typed::BuildId& out) {
  in.numbers(out.pid);
  const Bytes room = in.bytes(kBuildIdBytes), size = in.bytes(4);
  const bool is_sized = in.has(kMiscBuildIdSize) && !size.empty();
  out.build_id = build_id_of(room, is_sized ? size[0] : kBuildIdBytes);
  out.file = in.name();
}

using ReadContent = Typed::Content (*)(const Record& record, std::endian order);

template <class T>
Typed::Content read_content(const Record& record, std::endian order) {
  if (auto content = read_as<T>(record, order)) return *content;
  return Typed::Other{record.body()};
}

constexpr std::array<ReadContent, RecordCounts::kTypes> kReaders = [] {
  std::array<ReadContent, RecordCounts::kTypes> readers{};
  readers[kRecordMmap] = readers[kRecordMmap2] = read_content<Typed::Map>;
  readers[kRecordLost] = read_content<Typed::Lost>;
  readers[kRecordComm] = read_content<Typed::Comm>;
  readers[kRecordFork] = readers[kRecordExit] = read_content<Typed::Task>;
  readers[kRecordThrottle] = readers[kRecordUnthrottle] = read_content<Typed::Throttle>;
  readers[kRecordRead] = read_content<Typed::Read>;
  readers[kRecordAux] = read_content<Typed::Aux>;
  readers[kRecordItraceStart] = read_content<Typed::ItraceStart>;
  readers[kRecordLostSamples] = read_content<Typed::LostSamples>;
  readers[kRecordSwitch] = readers[kRecordSwitchCpuWide] = read_content<Typed::Switch>;
  readers[kRecordNamespaces] = read_content<Typed::Namespaces>;
  readers[kRecordKsymbol] = read_content<Typed::Ksymbol>;
  readers[kRecordBpfEvent] = read_content<Typed::BpfEvent>;
  readers[kRecordCgroup] = read_content<Typed::Cgroup>;
  readers[kRecordTextPoke] = read_content<Typed::TextPoke>;
  readers[kRecordAuxOutputHwId] = read_content<Typed::AuxOutputHwId>;
  readers[kRecordCallchainDeferred] = read_content<Typed::CallchainDeferred>;
  readers[kRecordAuxtraceInfo] = read_content<Typed::AuxtraceInfo>;
  readers[kRecordAuxtrace] = read_content<Typed::Auxtrace>;
  readers[kRecordAuxtraceError] = read_content<Typed::AuxtraceError>;
  readers[kRecordBuildId] = read_content<Typed::BuildId>;
  return readers;
}();

}  // namespace

template <class T>
std::optional<T> read_as(const Record& record, std::endian order) {
  Reader in(record, order);
  T content;
  read(in, content);
  return in.ok() ? std::optional(content) : std::nullopt;
}

template std::optional<Typed::Map> read_as(const Record&, std::endian);
template std::optional<Typed::Lost> read_as(const Record&, std::endian);
template std::optional<Typed::Comm> read_as(const Record&, std::endian);
template std::optional<Typed::Task> read_as(const Record&, std::endian);
template std::optional<Typed::Throttle> read_as(const Record&, std::endian);
template std::optional<Typed::Aux> read_as(const Record&, std::endian);
template std::optional<Typed::LostSamples> read_as(const Record&, std::endian);
template std::optional<Typed::Switch> read_as(const Record&, std::endian);
template std::optional<Typed::Namespaces> read_as(const Record&, std::endian);
template std::optional<Typed::Ksymbol> read_as(const Record&, std::endian);
template std::optional<Typed::BpfEvent> read_as(const Record&, std::endian);
template std::optional<Typed::Cgroup> read_as(const Record&, std::endian);
template std::optional<Typed::TextPoke> read_as(const Record&, std::endian);
template std::optional<Typed::Auxtrace> read_as(const Record&, std::endian);

Typed::Content content_of(const Record& record, std::endian order) {
  const ReadContent read = record.type < kReaders.size() ? kReaders[record.type] : nullptr;
  return read ? read(record, order) : Typed::Other{record.body()};
}

void read_identity(Bytes trailer, const Event& event, std::endian order, Typed& out) {
  const SampleLayout& layout = event.trailer;
  if (trailer.size() < static_cast<std::size_t>(layout.size)) return;
  const auto get = [&]<class T>(std::optional<T>& value, std::int16_t place, std::size_t in = 0) {
    if (place != SampleLayout::kAbsent)
      value = static_cast<T>(load<std::make_unsigned_t<T>>(
          trailer.data() + trailer.size() - static_cast<std::size_t>(place) + in, order));
  };
  get(out.pid, layout.tid);
  get(out.tid, layout.tid, sizeof(std::int32_t));
  get(out.time, layout.time);
  get(out.id, layout.id);
  get(out.cpu, layout.cpu);
}

}  // namespace evname::perf_format
