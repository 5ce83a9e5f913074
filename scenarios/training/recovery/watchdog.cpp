// Looks regularly, and acts if a wait is too long.
#include "scenarios/training/recovery/watchdog.h"

#include <unistd.h>

#include <string_view>

#include "scenarios/runtime/check.h"

namespace gridlock {

Watchdog::Watchdog(ncclComm_t communicator, std::chrono::milliseconds limit, Action action)
    : communicator_(communicator), limit_(limit), action_(action), thread_([this] { run(); }) {}

Watchdog::~Watchdog() { stop(); }

void Watchdog::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

// A wait that ends late may have been let go by another rank's abort, with wrong numbers and no
// error (rank_crash). The next wait would hang as long again, so the clock goes on.
void Watchdog::arm(bool on) {
  const std::lock_guard lock(mutex_);
  armed_ = on;
  const Clock::time_point now = Clock::now();
  if (on && !was_late_) since_ = now;
  if (!on) was_late_ = now - since_ > limit_ / 2;
}

void Watchdog::run() {
  constexpr std::chrono::milliseconds kBetweenLooks(2);
  std::unique_lock lock(mutex_);
  while (!stopped_ && !fired_) {
    ncclResult_t error = ncclSuccess;
    static_cast<void>(ncclCommGetAsyncError(communicator_, &error));
    if (armed_ && Clock::now() - since_ > limit_) fire();
    changed_.wait_for(lock, kBetweenLooks);
  }
}

void Watchdog::fire() {
  if (action_ == Action::exits) {
    constexpr std::string_view kLast = "a wait exceeded the watchdog's limit: exiting.\n";
    static_cast<void>(!write(STDERR_FILENO, kLast.data(), kLast.size()));
    _exit(1);
  }
  fired_ = true;
  static_cast<void>(ncclCommAbort(communicator_));
}

}  // namespace gridlock
