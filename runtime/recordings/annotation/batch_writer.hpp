#pragma once
// Samples to text on several threads; the text comes out in the order of the samples.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/parallel.hpp"
#include "evname/annotate.hpp"
#include "recordings/annotation/text_output.hpp"
#include "recordings/perf_data/perf_data_state.hpp"
#include "recordings/session/address_maps.hpp"

namespace evname::annotation {

/// Samples on their way to text. Records outside of `mapped` are copied: they may be gone
/// by then.
class Batch {
 public:
  explicit Batch(Bytes mapped) : mapped_(mapped) {}

  bool full(std::size_t most) const { return items_.size() >= most || used_ >= kBytes; }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }

  void add(const perfdata::session::SampleView& view, std::uint32_t event) {
    const Bytes record = view.record.bytes;
    const bool stays = std::less_equal<>()(mapped_.data(), record.data()) &&
                       std::less<>()(record.data(), mapped_.data() + mapped_.size());
    items_.push_back({stays ? record.data() : nullptr, event, keep(view)});
    if (view.event.attr.samples(perfdata::kSampleRead)) cores_.push_back(view.core);
    if (!stays) bytes_.insert(bytes_.end(), record.begin(), record.end());
    used_ += record.size();
  }

  void clear() {
    items_.clear();
    cores_.clear();
    bytes_.clear();
    tasks_.clear();
    used_ = 0;
    text.size = 0;
  }

  /// Calls visit(const Sample&) for each, until it returns false.
  template <class Visit>
  void for_each(const detail::PerfDataState& state, Visit&& visit) const {
    const std::endian order = state.file.header.order;
    const std::uint8_t* copied = bytes_.data();
    auto changed = cores_.begin();
    perfdata::Record record;
    perfdata::SampleCore core;
    perfdata::SampleTail tail;
    for (const Item& item : items_) {
      const perfdata::Event& event = state.file.events.list()[item.event];
      perfdata::read_record(item.data ? item.data : copied, order, record);
      if (!item.data) copied += record.bytes.size();
      perfdata::parse_sample(record, event, order, core, tail);
      if (event.attr.samples(perfdata::kSampleRead)) core = *changed++;
      const perfdata::session::SampleView view{event,
                                               core,
                                               event.has_tail ? tail : kNoTail,
                                               tasks_[item.task].comm,
                                               record,
                                               tasks_[item.task].maps};
      const detail::SampleRef ref{state.events[item.event], view, order != std::endian::native};
      if (!visit(detail::sample_of(ref))) return;
    }
  }

  TextBuffer text;  ///< what they have become

  static constexpr std::size_t kItems = 4096;  ///< the most there may be

 private:
  static constexpr perfdata::SampleTail kNoTail{};
  static constexpr std::size_t kBytes = 1 << 18;

  /// Small, as it goes from one core to another.
  struct Item {
    const std::uint8_t* data;  ///< the record; nullptr: the next of bytes_
    std::uint32_t event;
    std::uint32_t task;  ///< of tasks_
  };

  /// What a sample has of its thread.
  struct Task {
    std::string_view comm;  ///< as the session keeps it
    perfdata::session::ProcessMaps maps;
  };

  /// Mostly it is one of the last few.
  std::uint32_t keep(const perfdata::session::SampleView& view) {
    std::size_t at = tasks_.size();
    for (std::size_t tries = 0; at > 0 && tries < 8; ++tries)
      if (const Task& task = tasks_[--at];
          task.comm.data() == view.comm.data() && task.maps == view.maps)
        return static_cast<std::uint32_t>(at);
    tasks_.push_back({view.comm, view.maps});
    return static_cast<std::uint32_t>(tasks_.size() - 1);
  }

  Bytes mapped_;
  std::vector<Item> items_;
  std::vector<perfdata::SampleCore> cores_;  ///< of samples that stand for counter values
  std::vector<std::uint8_t> bytes_;
  std::vector<Task> tasks_;
  std::size_t used_ = 0;
};

/// Fills batches with what a Session delivers; threads write them. One thread owns an object.
/// Whatever a thread throws is thrown to it.
class BatchWriter final : public perfdata::session::SampleSink {
 public:
  /// Writes a batch's samples to its text; each thread has one of its own.
  using Write = std::function<void(Batch&)>;

  /// More threads have nothing to do: one thread reads for them all.
  static constexpr unsigned kMostThreads = 16;

  /// Records in `mapped`, and the session, outlive the writer's work. Where fewer threads can be
  /// started, fewer write; without any the owner does.
  BatchWriter(const perfdata::Events& events, Bytes mapped, unsigned threads,
              const std::function<Write()>& make_write, const TextSink& sink);
  ~BatchWriter() { stop(); }

  bool sample(const perfdata::session::SampleView& view) override {
    filling_->add(view, events_.index_of(view.event));
    return !filling_->full(most_items_) || submit();
  }
  /// What is mapped where must not change under samples that are being written: copies of it do
  /// not.
  void before_mapping() override { finish(); }

  /// Hands all there is to the sink. False: it wants no more.
  bool finish();
  /// Ends the threads, and drops what they have not written: before the session goes away.
  void stop();

 private:
  struct Work {
    std::unique_ptr<Batch> batch;
    bool done = false;
    std::exception_ptr failure = nullptr;  ///< what writing it threw
  };

  BatchWriter(const perfdata::Events& events, Bytes mapped, unsigned threads, const TextSink& sink);
  void start(unsigned threads, const std::function<Write()>& make_write);
  bool submit();
  bool write_oldest();
  void run(const Write& write);
  static void write_one(const Write& write, Work& work) noexcept;

  const perfdata::Events& events_;
  Bytes mapped_;
  const TextSink& sink_;
  std::size_t most_;  ///< batches on their way
  std::unique_ptr<Batch> filling_;
  std::size_t most_items_ = 256;  ///< of a batch, by how long their text is
  std::vector<std::unique_ptr<Batch>> spare_;
  bool open_ = true;

  std::mutex mutex_;
  std::condition_variable to_do_, done_;
  std::deque<Work> works_;         ///< oldest first; a deque's elements do not move
  std::deque<Work*> not_started_;  ///< of works_
  bool stop_ = false;
  Write own_write_;  ///< where no thread could be started
  std::vector<JoiningThread> threads_;
};

}  // namespace evname::annotation
