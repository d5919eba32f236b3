#include "recordings/session/spilled_runs.hpp"

#include <algorithm>
#include <cstring>
#include <functional>

#include "base/bytes.hpp"
#include "base/read_file.hpp"

namespace evname::perfdata::session {
namespace {

constexpr std::size_t kRunBuffer = 256 << 10;
constexpr std::size_t kPlace = sizeof(std::uint64_t);  // the offset before each copied record

/// Gathers what goes to the file; a record is at most 64 KiB.
class Writer {
 public:
  explicit Writer(TemporaryFile& file) : file_(file) { buffer_.reserve(kRunBuffer); }

  std::uint64_t position() const { return position_; }
  void put(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const std::uint8_t*>(data);
    position_ += size;
    if (buffer_.size() + size > kRunBuffer) write();
    buffer_.insert(buffer_.end(), bytes, bytes + size);
  }
  /// The rest. The first error of all there was.
  Result<void> flush() {
    write();
    return done_;
  }

 private:
  void write() {
    if (done_) done_ = file_.append(buffer_);
    buffer_.clear();
  }

  TemporaryFile& file_;
  std::vector<std::uint8_t> buffer_;
  std::uint64_t position_ = 0;
  Result<void> done_;
};

bool is_copied(const QueuedRecord& record, const stream::BlockStore& blocks) {
  return record.block != SpilledRuns::kCopied && blocks.is_owned(record.block);
}

}  // namespace

std::uint64_t SpilledRuns::offset_of(const QueuedRecord& record) {
  return load<std::uint64_t>(record.data - kPlace, std::endian::native);
}

// The records that are copied, each after its offset; then the entries.
Result<void> SpilledRuns::add(std::span<const QueuedRecord> run, stream::BlockStore& blocks,
                              std::endian order) {
  if (run.empty()) return {};
  auto file = TemporaryFile::create();
  if (!file) return tl::unexpected(file.error());
  Writer out(*file);
  std::vector<std::uint64_t> copies;
  for (const QueuedRecord& record : run) {
    if (!is_copied(record, blocks)) continue;
    const std::uint64_t offset = blocks.offset_of(record.block, record.data);
    out.put(&offset, sizeof offset);
    copies.push_back(out.position());
    out.put(record.data, load<std::uint16_t>(record.data + 6, order));
  }
  const std::uint64_t entries = out.position();
  auto copy = copies.begin();
  for (QueuedRecord record : run) {
    if (is_copied(record, blocks)) {
      record.block = kCopied;
      record.data = reinterpret_cast<const std::uint8_t*>(*copy++);
    }
    out.put(&record, sizeof record);
  }
  auto mapped = out.flush().and_then([&] { return file->map(); });
  if (!mapped) return tl::unexpected(mapped.error());
  runs_.reserve(runs_.size() + 1);
  heads_.reserve(runs_.size() + 1);
  for (const QueuedRecord& record : run)
    if (is_copied(record, blocks)) blocks.release(record.block);
  push({run.front().time, static_cast<std::uint32_t>(runs_.size())});
  runs_.push_back({std::move(*mapped), entries});
  return {};
}

QueuedRecord SpilledRuns::take() {
  finished_ = {};
  std::pop_heap(heads_.begin(), heads_.end(), std::greater<>());
  const std::uint32_t number = heads_.back().run;
  heads_.pop_back();
  Run& run = runs_[number];
  const Bytes bytes = run.bytes.bytes();
  QueuedRecord record;
  std::memcpy(&record, bytes.data() + run.next, sizeof record);
  if (record.block == kCopied)
    record.data = bytes.data() + reinterpret_cast<std::uintptr_t>(record.data);
  run.next += sizeof record;
  if (run.next < bytes.size())
    push({load<std::uint64_t>(bytes.data() + run.next, std::endian::native), number});
  else
    finished_ = std::move(run.bytes);
  if (heads_.empty()) runs_.clear();
  return record;
}

void SpilledRuns::push(Head head) {
  heads_.push_back(head);
  std::push_heap(heads_.begin(), heads_.end(), std::greater<>());
}

}  // namespace evname::perfdata::session
