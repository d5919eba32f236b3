#pragma once
// A thread that reads samples. It starts before the events are opened, so that it does not inherit
// them.

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "evname/error.hpp"

namespace evname::sampler {

class DrainThread {
 public:
  /// Starts the thread, which waits, with all signals blocked. Errors: io.
  static Result<std::unique_ptr<DrainThread>> start();
  /// Ends the thread after its current call.
  ~DrainThread();
  DrainThread(const DrainThread&) = delete;

  int id() const { return id_; }
  bool is_busy() const { return is_busy_; }
  /// Returns true if the thread has no job, or is the caller.
  bool is_free() const { return !is_busy_ || thread_.get_id() == std::this_thread::get_id(); }
  /// Repeats `job` until finish(), and then once more. Its argument is a file descriptor that
  /// becomes readable when the job must return.
  void begin(std::function<void(int stop_file)> job);
  /// Waits for the end of the job. Errors: io if it threw an exception; invalid_argument from the
  /// job itself.
  Result<void> finish();

 private:
  enum class Order { wait, work, stop, end };

  DrainThread() = default;
  void live();
  void work();
  void set(Order order);

  int id_ = 0;
  int stop_file_ = -1;
  std::atomic<bool> is_busy_ = false;
  std::mutex mutex_;  ///< of what follows
  std::condition_variable changed_;
  Order order_ = Order::wait;
  bool is_done_ = true;
  std::function<void(int)> job_;
  std::string thrown_;  ///< what an exception said
  std::thread thread_;
};

}  // namespace evname::sampler
