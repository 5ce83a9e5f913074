// Host calls that exist to wait.
#include "harness/recorder/cuda/twins.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;

namespace {

[[gnu::flatten]] cudaError_t synchronize(cudaStream_t stream, const void* frame,
                                         cudaError_t (*vendor)(cudaStream_t),
                                         DefaultStream meaning) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor(stream);
  const Wait wait = stream_wait(Call::stream_synchronize, resolve(stream, meaning));
  return forward_waiting(thread, wait, frame, vendor, stream);
}

}  // namespace

GRIDLOCK_INTERPOSE cudaError_t cudaDeviceSynchronize() {
  static constinit NextCuda<decltype(cudaDeviceSynchronize)> vendor("cudaDeviceSynchronize");
  return wait_for_device(Call::device_synchronize, __builtin_frame_address(0), vendor.get());
}

GRIDLOCK_INTERPOSE cudaError_t cudaDeviceReset() {
  static constinit NextCuda<decltype(cudaDeviceReset)> vendor("cudaDeviceReset");
  return wait_for_device(Call::device_synchronize, __builtin_frame_address(0), vendor.get());
}

GRIDLOCK_CUDA_TWINS(cudaStreamSynchronize, _ptsz, (cudaStream_t stream),
                    synchronize(stream, frame, vendor, meaning));

GRIDLOCK_INTERPOSE cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  static constinit NextCuda<decltype(cudaEventSynchronize)> vendor("cudaEventSynchronize");
  if (vendor.get() == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor.get()(event);
  return forward_waiting(thread, event_wait(event), __builtin_frame_address(0), vendor.get(),
                         event);
}
