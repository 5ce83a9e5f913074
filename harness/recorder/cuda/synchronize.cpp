// Host calls that exist to wait.
#include "harness/recorder/cuda/events.h"
#include "harness/recorder/cuda/twins.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;
using gridlock::record::Waits;

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
  static constinit Cuda<decltype(cudaDeviceSynchronize)> vendor("cudaDeviceSynchronize");
  return wait_for_device(Call::device_synchronize, __builtin_frame_address(0), vendor.get());
}

GRIDLOCK_INTERPOSE cudaError_t cudaDeviceReset() {
  static constinit Cuda<decltype(cudaDeviceReset)> vendor("cudaDeviceReset");
  return wait_for_device(Call::device_synchronize, __builtin_frame_address(0), vendor.get());
}

GRIDLOCK_CUDA_TWINS(cudaStreamSynchronize, _ptsz, (cudaStream_t stream),
                    synchronize(stream, frame, vendor, meaning));

GRIDLOCK_INTERPOSE cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  static constinit Cuda<decltype(cudaEventSynchronize)> vendor("cudaEventSynchronize");
  if (vendor.get() == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor.get()(event);
  const Mark mark = mark_of(event);
  Wait wait{.call = Call::event_synchronize};
  if (mark.stream != gridlock::record::kNone) {
    wait.waits = Waits::stream;
    wait.device = stream_device(mark.stream);
    wait.stream = mark.stream;
    wait.position = mark.position;
  }
  return forward_waiting(thread, wait, __builtin_frame_address(0), vendor.get(), event);
}
