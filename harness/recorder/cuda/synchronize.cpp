// Host calls whose purpose is to wait.
#include "harness/recorder/cuda/call.h"
#include "harness/recorder/cuda/events.h"

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
  static constinit Cuda<cudaError_t()> vendor("cudaDeviceSynchronize");
  if (vendor.get() == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor.get()();
  return forward_waiting(thread, device_wait(Call::device_synchronize), __builtin_frame_address(0),
                         vendor.get());
}

GRIDLOCK_INTERPOSE cudaError_t cudaDeviceReset() {
  static constinit Cuda<cudaError_t()> vendor("cudaDeviceReset");
  if (vendor.get() == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread)) return vendor.get()();
  return forward_waiting(thread, device_wait(Call::device_synchronize), __builtin_frame_address(0),
                         vendor.get());
}

GRIDLOCK_INTERPOSE cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  static constinit Cuda<cudaError_t(cudaStream_t)> vendor("cudaStreamSynchronize");
  return synchronize(stream, __builtin_frame_address(0), vendor.get(), DefaultStream::legacy);
}

GRIDLOCK_INTERPOSE cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) {
  static constinit Cuda<cudaError_t(cudaStream_t)> vendor("cudaStreamSynchronize_ptsz");
  return synchronize(stream, __builtin_frame_address(0), vendor.get(), DefaultStream::per_thread);
}

GRIDLOCK_INTERPOSE cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  static constinit Cuda<cudaError_t(cudaEvent_t)> vendor("cudaEventSynchronize");
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
