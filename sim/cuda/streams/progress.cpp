// Advancing costs a store and a load if no thread waits. The stream and a waiter both publish first
// and look second, in one total order, so at least one of the two sees the other.
#include "sim/cuda/streams/progress.h"

#include <sched.h>

#include <algorithm>

#include "sim/cuda/streams/futex.h"

namespace sim {
namespace {

constexpr int kYieldsBeforeSleep = 4;

}  // namespace

void Progress::advance(std::uint64_t position) {
  completed_.store(position);
  if (nearest_.load() > position) return;
  const std::lock_guard lock(mutex_);
  std::erase_if(waiters_, [position](Waiter* waiter) {
    if (waiter->position > position) return false;
    waiter->woken.store(1);
    futex_wake(waiter->woken);  // the waiter may be gone by now; a stray wake-up does no harm
    return true;
  });
  update_nearest();
}

void Progress::wait(std::uint64_t position) {
  for (int i = 0; i < kYieldsBeforeSleep; ++i) {
    if (reached(position)) return;
    sched_yield();
  }
  Waiter self{.position = position};
  {
    const std::lock_guard lock(mutex_);
    waiters_.push_back(&self);
    update_nearest();
    if (reached(position)) {
      std::erase(waiters_, &self);
      update_nearest();
      return;
    }
  }
  while (self.woken.load() == 0) futex_wait(self.woken, 0);
}

void Progress::update_nearest() {
  std::uint64_t nearest = kNobody;
  for (const Waiter* waiter : waiters_) nearest = std::min(nearest, waiter->position);
  nearest_.store(nearest);
}

}  // namespace sim
