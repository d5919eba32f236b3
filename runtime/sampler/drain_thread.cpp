#include "sampler/drain_thread.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <exception>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace evname::sampler {

namespace {

/// Blocks all signals as long as it exists; a thread inherits that.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

Result<std::unique_ptr<DrainThread>> DrainThread::start() {
  std::unique_ptr<DrainThread> out(new DrainThread);
  out->stop_file_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (out->stop_file_ < 0)
    return fail(Errc::io, fmt::format("no file to stop a thread with: {}", std::strerror(errno)));
  try {
    const NoSignals none;
    out->thread_ = std::thread([own = out.get()] { own->live(); });
  } catch (const std::system_error& thrown) {
    return fail(Errc::io, fmt::format("no thread can be created: {}", thrown.code().message()));
  }
  std::unique_lock lock(out->mutex_);
  out->changed_.wait(lock, [&] { return out->id_ != 0; });
  lock.unlock();
  return out;
}

DrainThread::~DrainThread() {
  if (thread_.joinable()) {
    set(Order::end);
    thread_.join();
  }
  if (stop_file_ >= 0) ::close(stop_file_);
}

void DrainThread::set(Order order) {
  {
    const std::lock_guard lock(mutex_);
    order_ = order;
    if (order == Order::work) is_done_ = false;
  }
  changed_.notify_all();
  const std::uint64_t one = 1;
  if (order >= Order::stop) (void)!write(stop_file_, &one, sizeof one);
}

void DrainThread::begin(std::function<void(int)> job) {
  std::uint64_t count = 0;
  (void)!read(stop_file_, &count, sizeof count);  // orders of before
  job_ = std::move(job);
  thrown_.clear();
  is_busy_ = true;
  set(Order::work);
}

Result<void> DrainThread::finish() {
  if (!is_busy_) return {};
  if (thread_.get_id() == std::this_thread::get_id())
    return fail(Errc::invalid_argument, "the thread that reads samples can't wait for its own end");
  set(Order::stop);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_done_; });
  is_busy_ = false;
  job_ = nullptr;
  if (thrown_.empty()) return {};
  return fail(Errc::io, fmt::format("the thread that reads samples has ended: {}", thrown_));
}

void DrainThread::work() {
  try {
    for (;;) {
      {
        const std::lock_guard lock(mutex_);
        if (order_ != Order::work) break;
      }
      job_(stop_file_);
    }
    job_(stop_file_);
  } catch (const std::exception& thrown) {
    thrown_ = thrown.what();
  } catch (...) {
    thrown_ = "an exception";
  }
}

void DrainThread::live() {
  std::unique_lock lock(mutex_);
  id_ = static_cast<int>(syscall(SYS_gettid));
  changed_.notify_all();
  for (;;) {
    changed_.wait(lock, [this] { return order_ == Order::end || !is_done_; });
    if (is_done_) return;
    lock.unlock();
    work();
    lock.lock();
    is_done_ = true;
    changed_.notify_all();
  }
}

}  // namespace evname::sampler
