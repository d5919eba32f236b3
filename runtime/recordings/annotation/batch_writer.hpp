#pragma once
// Lets several threads turn samples into text, and hands the text out in the order of the samples.

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "base/hash_map.hpp"
#include "base/parallel.hpp"
#include "evname/annotate.hpp"
#include "recordings/annotation/text_output.hpp"
#include "recordings/perf_data/recording_state.hpp"

namespace evname::annotation {

/// Samples on their way to text, in cache lines that no other thread writes to.
class alignas(128) Batch {
 public:
  /// Records outside of `mapped` are copied, as they may be gone before they are written.
  explicit Batch(Bytes mapped) : mapped_(mapped) {}

  bool full(std::size_t most) const { return items_.size() >= most || used_ >= kBytes; }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }

  /// Adds the sample that a cursor is at, and the index of its event.
  void add(const session::RecordCursor& cursor, std::uint32_t event) {
    const perf_format::SampleRecord& sample = cursor.sample();
    const Bytes record = sample.record.bytes;
    const bool stays = std::less_equal<>()(mapped_.data(), record.data()) &&
                       std::less<>()(record.data(), mapped_.data() + mapped_.size());
    const std::uint8_t* const data = stays ? record.data() : copy(record);
    used_ += record.size();
    const bool is_one_of_several = sample.event->attr.samples(perf_format::kSampleRead);
    items_.push_back({is_one_of_several ? nullptr : data, event, keep_task(cursor)});
    if (!is_one_of_several) return;
    parsed_.push_back(sample);
    used_ += sizeof sample;
    if (!stays) parsed_.back().move_to(data);
  }

  void clear() {
    items_.clear();
    parsed_.clear();
    tasks_.clear();
    task_numbers_.clear();
    copied_ = used_ = 0;
    text.size = 0;
  }

  /// Calls visit(const Sample&) for each sample, until it returns false.
  template <class Visit>
  void for_each(const detail::RecordingState& state, Visit&& visit) const {
    const std::endian order = state.file.header.order;
    auto parsed = parsed_.begin();
    perf_format::SampleRecord plain;
    for (const Item& item : items_) {
      const perf_format::SampleRecord* sample = &plain;
      if (item.data) {
        perf_format::read_record(item.data, order, plain.record);
        perf_format::parse_sample(state.file.events.list()[item.event], order, plain);
      } else {
        sample = &*parsed++;
      }
      const Task& task = tasks_[item.task];
      if (!visit(detail::sample_of(state, *sample, task.maps, task.comm, {}))) return;
    }
  }

  TextBuffer text;  ///< text of the samples

  static constexpr std::size_t kItems = 4096;  ///< maximum number of samples of a batch

 private:
  static constexpr std::size_t kBytes = 1 << 18, kLongestRecord = 1 << 16;
  static constexpr std::size_t kChangedMaps = 1 << 12;  ///< rough limit of what older maps hold

  /// The thread that writes a sample parses it again: sending 400 parsed bytes to another core
  /// takes a third longer. Only the samples of a record with several are sent parsed.
  struct Item {
    const std::uint8_t* data;  ///< the record; nullptr if the sample is the next of parsed_
    std::uint32_t event;
    std::uint32_t task;  ///< of tasks_
  };

  /// The thread of a sample.
  struct Task {
    std::string_view comm;  ///< as the cursor keeps it
    session::ProcessMaps maps;
  };

  const std::uint8_t* copy(Bytes record) {
    if (!copies_) copies_ = std::make_unique_for_overwrite<std::uint8_t[]>(kBytes + kLongestRecord);
    std::uint8_t* const to =
        std::copy(record.begin(), record.end(), copies_.get() + copied_) - record.size();
    copied_ += record.size();
    return to;
  }

  /// Returns the index of the cursor's task. A task is kept once, as threads would wait for the
  /// reference counts of its maps.
  std::uint32_t keep_task(const session::RecordCursor& cursor) {
    const auto [task, is_new] =
        task_numbers_.try_emplace({cursor.comm().data(), cursor.maps().generation(false)},
                                  static_cast<std::uint32_t>(tasks_.size()));
    if (!is_new) return task->second;
    tasks_.push_back({cursor.comm(), cursor.maps()});
    if (const std::uint64_t of_maps = cursor.maps().generation(); of_maps > generation_) {
      generation_ = of_maps;
      used_ += kChangedMaps;
    }
    return task->second;
  }

  Bytes mapped_;
  std::vector<Item> items_;
  std::vector<perf_format::SampleRecord> parsed_;
  std::unique_ptr<std::uint8_t[]> copies_;
  std::vector<Task> tasks_;
  HashMap<std::pair<const char*, std::uint64_t>, std::uint32_t> task_numbers_;
  std::uint64_t generation_ = 0;  ///< of the latest maps
  std::size_t copied_ = 0, used_ = 0;
};

/// Fills batches with samples, which threads write. One thread owns an object; it gets the
/// exceptions of the other threads.
class BatchWriter {
 public:
  /// Writes a batch's samples to its text; each thread has its own function.
  using Write = std::function<void(Batch&)>;

  /// More threads would have nothing to do, since one thread reads for all of them.
  static constexpr unsigned kMostThreads = 16;

  /// Records in `mapped`, and the cursor, must outlive the writer's work. If fewer threads can be
  /// started, fewer write; if none can, the owner writes.
  BatchWriter(const perf_format::Events& events, Bytes mapped, unsigned threads,
              const std::function<Write()>& make_write, const TextSink& sink);
  ~BatchWriter() { stop(); }

  /// Adds the sample that a cursor is at. Returns false if the sink accepts no more.
  bool add(const session::RecordCursor& cursor) {
    filling_->add(cursor, events_.index_of(*cursor.sample().event));
    return !filling_->full(most_items_) || submit();
  }

  /// Hands all batches to the sink. Returns false if it wants no more.
  bool finish();
  /// Ends the threads, and drops the samples that they have not written. Must be called before the
  /// cursor is destroyed.
  void stop();

 private:
  struct Work {
    std::unique_ptr<Batch> batch;
    bool done = false;
    std::exception_ptr failure = nullptr;  ///< the exception of writing it
  };

  BatchWriter(const perf_format::Events& events, Bytes mapped, unsigned threads,
              const TextSink& sink);
  void start(unsigned threads, const std::function<Write()>& make_write);
  bool submit();
  bool write_oldest();
  void run(const Write& write);
  static void write_one(const Write& write, Work& work) noexcept;

  const perf_format::Events& events_;
  Bytes mapped_;
  const TextSink& sink_;
  std::size_t most_;  ///< maximum number of batches at once
  std::unique_ptr<Batch> filling_;
  std::size_t most_items_ = 256;  ///< of a batch, adapted to the length of their text
  std::vector<std::unique_ptr<Batch>> spare_;
  bool open_ = true;

  std::mutex mutex_;
  std::condition_variable to_do_, done_;
  std::deque<Work> works_;         ///< oldest first; a deque's elements do not move
  std::deque<Work*> not_started_;  ///< of works_
  bool stop_ = false;
  Write own_write_;  ///< used if no thread could be started
  std::vector<JoiningThread> threads_;
};

}  // namespace evname::annotation
