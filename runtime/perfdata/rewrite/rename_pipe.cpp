#include <algorithm>

#include "base/bytes.hpp"
#include "perfdata/rewrite/rename.hpp"
#include "perfdata/stream/pipe.hpp"

namespace evname::perfdata {
namespace {

constexpr std::uint64_t kUpdateName = 2;  // PERF_EVENT_UPDATE__NAME

std::string update_records(const File& file, std::span<const std::string> names) {
  ByteWriter out(file.header.order);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Event& event = file.events.list()[i];
    if (event.ids.empty() && names.size() > 1) continue;  // the record could not say which it means
    if (event.name == names[i]) continue;
    const std::size_t text = (names[i].size() + 8) / 8 * 8;
    out.u32(kRecordEventUpdate);
    out.u16(0);
    out.u16(static_cast<std::uint16_t>(kRecordHeader + 16 + text));
    out.u64(kUpdateName);
    out.u64(event.ids.empty() ? 0 : event.ids[0]);
    out.text(names[i], 8);
  }
  return out.bytes();
}

/// Does the record name an event otherwise than `names` does?
bool is_overruled(const Record& record, const File& file, std::span<const std::string> names) {
  if (record.type != kRecordEventUpdate) return false;
  Cursor in(record.body(), file.header.order);
  const std::uint64_t kind = in.u64(), id = in.u64();
  if (!in.ok() || kind != kUpdateName) return false;
  const std::uint32_t index = file.events.size() == 1 ? 0 : file.events.index_of(id);
  return index < names.size() && file.events.list()[index].name != names[index];
}

std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<void> copy_rest(OneWay& pipe, AtomicFile& out) {
  std::vector<std::uint8_t> buffer(256 << 10);
  for (;;) {
    const auto got = pipe.read(buffer.data(), buffer.size());
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) return {};
    if (auto done = out.write(text_of(Bytes(buffer).first(*got))); !done) return done;
  }
}

}  // namespace

// The names go behind the last of the events.
Result<void> write_named_pipe(const File& file, std::span<const std::string> names,
                              AtomicFile& out) {
  const Stream& stream = file.streams[0];
  if (stream.more && !stream.more->take())
    return fail(Errc::invalid_argument, "standard input can be read only once");
  std::uint64_t events = 0, place = 0;
  RecordReader scan(stream.bytes, file.header.order);
  for (Record record; scan.next(record) && (events < names.size() || place == 0);) {
    if (record.type == kRecordAttr && ++events == names.size()) place = scan.offset();
  }
  ByteWriter header(file.header.order);
  header.u64(0x32454c4946524550);  // "PERFILE2"
  header.u64(16);
  Result<void> done = out.write(header.bytes());
  RecordReader reader(stream.bytes, file.header.order);
  std::uint64_t from = 0;
  const auto copy_to = [&](std::uint64_t end) {
    if (done) done = out.write(text_of(stream.bytes.subspan(from, end - from)));
    from = end;
  };
  bool written = false;
  for (Record record; done && reader.next(record);) {
    const std::uint64_t start = record.offset, end = reader.offset();
    if (!written && start >= place) {
      copy_to(start);
      if (done) done = out.write(update_records(file, names));
      written = true;
    }
    if (is_overruled(record, file, names)) {
      copy_to(start);
      from = end;
    }
  }
  copy_to(stream.bytes.size());
  if (done && !written) done = out.write(update_records(file, names));
  if (done && stream.more) done = copy_rest(*stream.more, out);
  return done;
}

}  // namespace evname::perfdata
