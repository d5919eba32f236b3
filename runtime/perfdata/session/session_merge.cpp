// The part of Session that merges the files of a directory by time.

#include <algorithm>

#include "perfdata/session/session.hpp"
#include "perfdata/stream/times.hpp"

namespace evname::perfdata {

/// One file: how far it has been read, and a time that nothing unread in it is before.
struct Session::Lane {
  Lane(const Stream& stream, const File& file, BlockStore& blocks, RecordCounts& counts,
       Warnings& warnings, Damage damage)
      : bounds(stream, file.events, file.header.order),
        reader(stream, file.header.order, blocks, counts, warnings, damage) {}

  TimeBounds bounds;
  StreamReader reader;
  std::uint64_t bound = 0;      ///< the first piece of each is read before anything is delivered
  std::uint64_t piece_end = 0;  ///< of the piece that is being read
  bool done = false;
};

Session::Session(const File& file, SampleSink& sink, PassOptions options)
    : file_(file), sink_(sink), options_(std::move(options)) {}

Session::~Session() = default;

void Session::add_lanes() {
  for (const Stream& stream : file_.streams)
    lanes_.push_back(
        std::make_unique<Lane>(stream, file_, blocks_, tally_.records, warnings_, options_.damage));
}

bool Session::read_piece(Lane& lane) {
  Record record;
  for (std::uint32_t block; !lane.done && lane.reader.position() < lane.piece_end;) {
    lane.done = !lane.reader.next(record, block);
    if (!lane.done && !take(record, block)) return false;
    tell_progress(lane.reader.position());
  }
  return true;
}

// FINISHED_ROUND says nothing of the other files, so the bounds come from a walk of their own. The
// file that holds up the others is read on, a piece at a time.
bool Session::run_merged() {
  for (;;) {
    Lane& lane = **std::min_element(lanes_.begin(), lanes_.end(), [](auto& a, auto& b) {
      return std::pair(a->done, a->bound) < std::pair(b->done, b->bound);
    });
    if (lane.done) return queue_.finish(delivery());
    if (lane.piece_end == 0)
      lane.piece_end = (lane.reader.position() / TimeBounds::kPiece + 1) * TimeBounds::kPiece;
    if (!read_piece(lane)) return false;
    lane.piece_end = 0;
    lane.bound = lane.done ? UINT64_MAX : lane.bounds.before(lane.reader.position());
    std::uint64_t safe = UINT64_MAX;
    for (const auto& other : lanes_) safe = std::min(safe, other->bound);
    if (!queue_.until(safe, delivery())) return false;
  }
}

}  // namespace evname::perfdata
