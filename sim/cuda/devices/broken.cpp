// Every call reads this state, so reading takes no lock.
#include "sim/cuda/devices/broken.h"

#include <atomic>
#include <map>
#include <mutex>
#include <set>

namespace sim {
namespace {

struct State {
  std::mutex mutex;
  std::map<int, std::stop_source> stops;  // guarded by mutex
  std::map<int, cudaError_t> errors;      // guarded by mutex
  std::set<int> lost;                     // guarded by mutex
};

State& state() {
  static State& value = *new State;
  return value;
}

std::atomic<bool> any{false};

}  // namespace

cudaError_t broken(int device) {
  if (!any.load(std::memory_order_acquire)) return cudaSuccess;
  const std::lock_guard lock(state().mutex);
  const auto found = state().errors.find(device);
  return found == state().errors.end() ? cudaSuccess : found->second;
}

void break_device(int device, cudaError_t error) {
  const std::lock_guard lock(state().mutex);
  state().errors.emplace(device, error);
  any.store(true, std::memory_order_release);
  state().stops[device].request_stop();
}

void lose_device(int device, cudaError_t error) {
  {
    const std::lock_guard lock(state().mutex);
    state().lost.insert(device);
  }
  break_device(device, error);
}

bool lost(int device) {
  const std::lock_guard lock(state().mutex);
  return state().lost.contains(device);
}

std::stop_token stop_when_broken(int device) {
  const std::lock_guard lock(state().mutex);
  return state().stops[device].get_token();
}

void mend_device(int device) {
  const std::lock_guard lock(state().mutex);
  state().errors.erase(device);
  state().stops.erase(device);
  any.store(!state().errors.empty(), std::memory_order_release);
}

}  // namespace sim
