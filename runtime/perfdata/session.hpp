#pragma once
// One pass over the records of a recording, in the order of their times.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "evname/error.hpp"
#include "perfdata/block_store.hpp"
#include "perfdata/file.hpp"
#include "perfdata/order.hpp"
#include "perfdata/sample.hpp"
#include "perfdata/threads.hpp"
#include "perfdata/unpacker.hpp"

namespace evname::perfdata {

/// What a pass met. Every SAMPLE record counts in exactly one of the first three.
struct Tally {
  std::uint64_t samples = 0;      ///< delivered
  std::uint64_t unknown_ids = 0;  ///< samples that belong to no event of the file
  std::uint64_t malformed = 0;    ///< samples shorter than their event says
  std::uint64_t malformed_others = 0;
  std::uint64_t unknown_records = 0;  ///< of types not known here; skipped
  std::uint64_t lost = 0;             ///< samples that the recorder says it lost
  std::uint64_t late = 0;             ///< records delivered after later ones
  std::vector<std::string> warnings;
};

/// A delivered sample; views hold during the call only.
struct SampleView {
  const Event& event;
  const SampleCore& core;
  const SampleTail& tail;
  std::string_view comm;
  const Record& record;
};

/// Where samples go. False ends the pass.
struct SampleSink {
  virtual bool sample(const SampleView& view) = 0;

 protected:
  ~SampleSink() = default;
};

class Session {
 public:
  Session(const File& file, SampleSink& sink) : file_(file), sink_(sink) {}

  Tally run();

 private:
  /// The stream of records that unpacking one stream of the file yields. It is unpacked to blocks;
  /// a record that continues in the next block is moved there.
  struct Unpacked {
    Unpacker unpacker;
    std::optional<std::uint32_t> block;
    std::size_t parsed = 0;    ///< bytes of the block that have been handed on
    std::size_t used = 0;      ///< bytes of the block that have been filled
    std::uint64_t offset = 0;  ///< of the block in the unpacked stream
    bool broken = false;
  };

  void run_stream(const Stream& stream);
  bool take(const Record& record, std::uint32_t block);
  bool take_kernel(const Record& record, std::uint32_t block);
  bool unpack(const Record& record, Unpacked& unpacked);
  bool take_unpacked(Unpacked& unpacked);
  void next_block(Unpacked& unpacked);
  void end_unpacked(Unpacked& unpacked);
  std::uint64_t time_of(const Record& record) const;
  bool deliver_entry(const OrderQueue::Entry& entry);
  bool deliver(const Record& record);
  bool deliver_sample(const Record& record);
  Record without_trailer(const Record& record) const;
  void count_unknown(const Record& record);
  void count_lost(const Record& record);
  bool relieve();
  void summarize();

  const File& file_;
  SampleSink& sink_;
  BlockStore blocks_;
  OrderQueue queue_;
  Threads threads_;
  Tally tally_;
  Warnings warnings_;
  std::string stream_name_;
  bool ordered_ = true;
  bool stopped_ = false;
};

}  // namespace evname::perfdata
