#include "recordings/annotation/batch_writer.hpp"

#include <algorithm>
#include <utility>

namespace evname::annotation {
namespace {

constexpr std::size_t kText = 1 << 18;  // of a batch, about
constexpr std::size_t kFewest = 64;     // samples of a batch

}  // namespace

BatchWriter::BatchWriter(const perf_format::Events& events, Bytes mapped, unsigned threads,
                         const TextSink& sink)
    : events_(events),
      mapped_(mapped),
      sink_(sink),
      most_(2 * threads + 2),
      filling_(std::make_unique<Batch>(mapped)) {}

// Delegates, so that the destructor stops the threads if an exception is thrown here.
BatchWriter::BatchWriter(const perf_format::Events& events, Bytes mapped, unsigned threads,
                         const std::function<Write()>& make_write, const TextSink& sink)
    : BatchWriter(events, mapped, std::min(threads, kMostThreads), sink) {
  start(std::min(threads, kMostThreads), make_write);
}

void BatchWriter::start(unsigned threads, const std::function<Write()>& make_write) {
  threads_.reserve(threads);
  for (unsigned i = 0; i < threads; ++i) {
    auto started = start_threads(1, [this, write = make_write()] { run(write); });
    if (started.empty()) break;
    threads_.push_back(std::move(started.front()));
  }
  if (threads_.empty()) own_write_ = make_write();
}

void BatchWriter::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  to_do_.notify_all();
  threads_.clear();
}

// A failed writer may be in an invalid state, so it writes no further batch. The skipped batches
// come after the failed one, which ends the job.
void BatchWriter::run(const Write& write) {
  std::unique_lock lock(mutex_);
  for (bool failed = false;;) {
    to_do_.wait(lock, [&] { return stop_ || !not_started_.empty(); });
    if (stop_) return;
    Work& work = *not_started_.front();
    not_started_.pop_front();
    lock.unlock();
    if (!failed) write_one(write, work);
    failed |= work.failure != nullptr;
    lock.lock();
    work.done = true;
    done_.notify_one();
  }
}

void BatchWriter::write_one(const Write& write, Work& work) noexcept {
  try {
    write(*work.batch);
  } catch (...) {
    work.failure = std::current_exception();
  }
}

bool BatchWriter::submit() {
  {
    const std::lock_guard lock(mutex_);
    works_.push_back({std::move(filling_)});
    if (!own_write_) not_started_.push_back(&works_.back());
  }
  if (own_write_) {
    write_one(own_write_, works_.back());
    works_.back().done = true;
  }
  to_do_.notify_one();
  while (works_.size() >= (own_write_ ? 1 : most_)) write_oldest();
  if (spare_.empty()) {
    filling_ = std::make_unique<Batch>(mapped_);
  } else {
    filling_ = std::move(spare_.back());
    spare_.pop_back();
  }
  return open_;
}

bool BatchWriter::write_oldest() {
  std::unique_ptr<Batch> batch;
  {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return works_.front().done; });
    if (works_.front().failure) std::rethrow_exception(works_.front().failure);
    batch = std::move(works_.front().batch);
    works_.pop_front();
  }
  if (open_ && batch->text.size > 0) open_ = sink_(batch->text.text());
  // Text that stays in a cache until it is written, and takes little memory.
  if (batch->size() > 0)
    most_items_ =
        std::clamp(kText * batch->size() / (batch->text.size + 1), kFewest, Batch::kItems);
  batch->clear();
  spare_.push_back(std::move(batch));
  return open_;
}

bool BatchWriter::finish() {
  if (!filling_->empty()) submit();
  while (!works_.empty()) write_oldest();
  return open_;
}

}  // namespace evname::annotation
