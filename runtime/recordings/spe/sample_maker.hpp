#pragma once
// Makes samples of SPE's operations, as records, in the order of time.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "perf_format/sample_record.hpp"
#include "recordings/spe/trace.hpp"

namespace evname::spe {

/// Makes samples of trace data as perf's --itrace does. Policy: arm_spe_process_queues,
/// arm_spe_run_decoder and arm_spe_sample of tools/perf/util/arm-spe.c.
class SampleMaker {
 public:
  /// Returns the process of a thread; -1 if it is not known.
  using ProcessOf = std::function<std::int32_t(std::int32_t tid)>;

  SampleMaker(const Trace& trace, const perf_format::Events& events, std::endian order,
              ProcessOf process_of);
  ~SampleMaker();

  /// Makes the next sample that is before `time`; UINT64_MAX makes all. The record lasts until the
  /// next call. Returns false if there is none.
  bool next_before(std::uint64_t time, perf_format::Record& record,
                   const perf_format::Event*& event);

  /// Merges the samples with other records, which come later at equal times. `next_recorded` sets
  /// the next other record and returns its time; 0: it comes at once; UINT64_MAX: there is none.
  /// Returns false at the end of both.
  template <class Next>
  bool next(perf_format::Record& record, const perf_format::Event*& event, Next next_recorded);

  /// A thread runs on a CPU from now on.
  void switch_to(std::uint32_t cpu, std::int32_t tid);

  ///@{
  /// Continues with the current contents of the buffers of a live trace, beginning with unread().
  /// Call it first, and again after all samples were made.
  void resume();
  Bytes unread(std::size_t queue) const;
  ///@}
  /// Returns the place in a live queue after the last operation that samples were made for.
  std::uint64_t made_until(std::size_t queue) const;

  /// A sentence about unread data, and its place in the file.
  struct Fault {
    std::uint64_t place;
    std::string text;
  };
  std::vector<Fault> faults() const;

 private:
  struct Reading;
  /// A queue, and the greatest count of its operations so far.
  struct Entry {
    std::uint64_t count;
    std::size_t queue;
  };

  void begin();
  void follow(const perf_format::Record& record);
  void follow_switch(const perf_format::Record& record);
  void push(Entry entry);
  Entry pop();
  bool read_operation(Reading& queue);
  bool choose_queue();
  void find_thread(Reading& queue);
  void take_operation(Reading& queue);
  void move_on();
  void write(std::size_t made, const Reading& queue);
  void write_branches(const Operation& operation);
  template <class T>
  void put(T value);
  unsigned samples_of(const Operation& operation) const;

  const Trace& trace_;
  const perf_format::Events& events_;
  const std::endian order_;
  const ProcessOf process_of_;
  std::uint64_t time_ = 0, limit_ = 0;  ///< of the last call of next_before(), and its count
  std::uint64_t calls_ = 0;             ///< after a new time, since processes may have changed
  std::vector<std::unique_ptr<Reading>> queues_;
  std::vector<Entry> heap_;
  std::unordered_map<std::int32_t, std::int32_t> running_;  ///< the thread of each CPU
  bool has_begun_ = false;
  bool has_contexts_ = false;  ///< context packets say which thread runs
  bool has_snapshots_ = false;
  Reading* current_ = nullptr;
  std::uint64_t until_ = 0;   ///< the current queue is read up to this count
  unsigned wanted_ = 0;       ///< samples to make, as bits of kMadeEvents
  unsigned pending_ = 0;      ///< samples of its operation to make: bits of kMadeEvents
  std::uint64_t source_ = 0;  ///< its data source
  std::uint64_t operation_time_ = 0;
  std::vector<std::uint8_t> bytes_;
  std::uint8_t* end_ = nullptr;
  /// The next record from elsewhere.
  struct {
    perf_format::Record record;
    const perf_format::Event* event = nullptr;
    std::uint64_t time = 0;
    bool is_there = false;
  } recorded_;
};

template <class Next>
bool SampleMaker::next(perf_format::Record& record, const perf_format::Event*& event,
                       Next next_recorded) {
  if (!recorded_.is_there) {
    const std::uint64_t time = next_recorded();
    recorded_ = {record, event, time, true};
  }
  if (recorded_.time != 0 && next_before(recorded_.time, record, event)) return true;
  recorded_.is_there = false;
  if (recorded_.time == UINT64_MAX) return false;
  record = recorded_.record;
  event = recorded_.event;
  follow(record);
  return true;
}

}  // namespace evname::spe
