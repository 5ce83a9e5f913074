// Which threads and processes may call CUDA.
#include "sim/cuda/devices/api.h"

#include <pthread.h>

#include <atomic>
#include <cstdio>

#include "sim/cuda/devices/broken.h"
#include "sim/cuda/devices/device.h"
#include "sim/cuda/streams/stream_object.h"

namespace sim {
namespace {

std::atomic<bool> forked{false};

}  // namespace

cudaError_t admission() {
  if (forked.load(std::memory_order_relaxed)) return cudaErrorInitializationError;
  if (on_stream_thread()) return cudaErrorNotPermitted;
  return cudaSuccess;
}

cudaError_t sticky() { return broken(current_device()); }

void refuse_after_fork() {
  [[maybe_unused]] static const int once =
      pthread_atfork(nullptr, nullptr, [] { forked.store(true); });
}

cudaError_t not_supported(const char* call) {
  std::fprintf(
      stderr, "gridlock-sim: %s is not simulated (docs/sim.md lists what is). Run this on a GPU.\n",
      call);
  set_last_error(cudaErrorNotSupported);
  return cudaErrorNotSupported;
}

}  // namespace sim
