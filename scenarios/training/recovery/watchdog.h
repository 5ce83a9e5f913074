// A thread that watches over waits on the device, as the watchdog of PyTorch's process group does.
#pragma once

#include <nccl.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace gridlock {

class Watchdog {
 public:
  enum class Action {
    aborts,  // aborts the communicator: the wait ends, and the program learns of it
    exits,   // the process, with a line on stderr and code 1
  };

  // Starts the thread. Like PyTorch's, it also asks the communicator for errors from time to time,
  // but it acts only on the time limit.
  Watchdog(ncclComm_t communicator, std::chrono::milliseconds limit, Action action);
  ~Watchdog();  // stops it
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // Runs `wait` while the watchdog counts the time.
  //   Errors  std::runtime_error if the wait exceeded the limit and an abort ended it
  template <typename Wait>
  void guard(Wait wait) {
    arm(true);
    wait();
    arm(false);
    if (fired_) throw std::runtime_error("a wait exceeded the watchdog's limit: aborted.");
  }

  // Call it before the communicator is closed.
  //   Blocks  at most for one look
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  void arm(bool on);
  void run();
  void fire();

  ncclComm_t communicator_;
  std::chrono::milliseconds limit_;
  Action action_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopped_ = false;
  bool armed_ = false;
  bool was_late_ = false;
  Clock::time_point since_;
  std::atomic<bool> fired_ = false;
  std::thread thread_;
};

}  // namespace gridlock
