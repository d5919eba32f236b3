#pragma once
// Samples to text on several threads; the text comes out in the order of the samples.

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "annotation/batch.hpp"
#include "evname/annotate.hpp"

namespace evname {

/// Fills batches with what a Session delivers; threads write them. One thread owns an object.
class BatchWriter final : public perfdata::SampleSink {
 public:
  /// Writes a batch's samples to its text; each thread has one of its own.
  using Write = std::function<void(Batch&)>;

  /// Records in `mapped`, and the session, outlive the writer's work.
  BatchWriter(const perfdata::Events& events, Bytes mapped, unsigned threads,
              const std::function<Write()>& make_write, const TextSink& sink);
  ~BatchWriter();

  bool sample(const perfdata::SampleView& view) override {
    filling_->add(view, events_.index_of(view.event));
    return !filling_->full() || submit();
  }
  /// What is mapped where must not change under samples that are being written.
  void before_mapping() override { finish(); }

  /// Hands all there is to the sink. False: it wants no more.
  bool finish();

 private:
  struct Work {
    std::unique_ptr<Batch> batch;
    bool done = false;
  };

  bool submit();
  bool write_oldest();
  void run(const Write& write);

  const perfdata::Events& events_;
  Bytes mapped_;
  const TextSink& sink_;
  std::size_t most_;  ///< batches on their way
  std::unique_ptr<Batch> filling_;
  std::unique_ptr<Batch> spare_;
  bool open_ = true;

  std::mutex mutex_;
  std::condition_variable to_do_, done_;
  std::deque<Work> works_;         ///< oldest first; a deque's elements do not move
  std::deque<Work*> not_started_;  ///< of works_
  bool stop_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace evname
