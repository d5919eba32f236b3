#include "annotation/batch_writer.hpp"

#include <utility>

namespace evname::annotation {

BatchWriter::BatchWriter(const perfdata::Events& events, Bytes mapped, unsigned threads,
                         const std::function<Write()>& make_write, const TextSink& sink)
    : events_(events),
      mapped_(mapped),
      sink_(sink),
      most_(4 * threads + 4),
      filling_(std::make_unique<Batch>(mapped)) {
  for (unsigned i = 0; i < threads; ++i)
    threads_.emplace_back([this, write = make_write()] { run(write); });
}

BatchWriter::~BatchWriter() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  to_do_.notify_all();
}

void BatchWriter::run(const Write& write) {
  std::unique_lock lock(mutex_);
  for (;;) {
    to_do_.wait(lock, [&] { return stop_ || !not_started_.empty(); });
    if (stop_) return;
    Work& work = *not_started_.front();
    not_started_.pop_front();
    lock.unlock();
    write(*work.batch);
    lock.lock();
    work.done = true;
    done_.notify_one();
  }
}

bool BatchWriter::submit() {
  {
    const std::lock_guard lock(mutex_);
    works_.push_back({std::move(filling_)});
    not_started_.push_back(&works_.back());
  }
  to_do_.notify_one();
  while (works_.size() >= most_) write_oldest();
  filling_ = spare_ ? std::move(spare_) : std::make_unique<Batch>(mapped_);
  return open_;
}

bool BatchWriter::write_oldest() {
  {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return works_.front().done; });
    spare_ = std::move(works_.front().batch);
    works_.pop_front();
  }
  if (open_ && !spare_->text.empty()) open_ = sink_(spare_->text);
  spare_->clear();
  return open_;
}

bool BatchWriter::finish() {
  if (!filling_->empty()) submit();
  while (!works_.empty()) write_oldest();
  return open_;
}

}  // namespace evname::annotation
