// Host calls that wait, and those that only ask whether they would have to.
#include "harness/recorder/core/streams/graphs.h"
#include "harness/recorder/cuda/shared_calls.h"
#include "harness/recorder/cuda/twins.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;

GRIDLOCK_INTERPOSE cudaError_t cudaDeviceSynchronize() {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaDeviceSynchronize)> vendor(
      "cudaDeviceSynchronize");
  return wait_for_device(Call::device_synchronize, __builtin_frame_address(0), vendor.get());
}

// Not a wait. But threads begin with it, and often sleep next: what the vendor leaves on their
// stack looks like a call that they are in.
GRIDLOCK_INTERPOSE cudaError_t cudaSetDevice(int device) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaSetDevice)> vendor("cudaSetDevice");
  auto* const function = vendor.get();
  if (function == nullptr) return cudaErrorNotSupported;
  const cudaError_t error = function(device);
  clear_stack(kSleepersFrames);
  return error;
}

GRIDLOCK_INTERPOSE cudaError_t cudaDeviceReset() {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaDeviceReset)> vendor("cudaDeviceReset");
  graphs_may_let_go();
  // Before the call, because handles may be reused at once.
  if (records(this_thread())) retire_streams_of(current_device());
  return wait_for_device(Call::device_synchronize, __builtin_frame_address(0), vendor.get());
}

GRIDLOCK_CUDA_TWINS(cudaStreamSynchronize, _ptsz, (cudaStream_t stream),
                    synchronize<Api::runtime>(resolve(stream, meaning), frame, vendor, stream));

GRIDLOCK_INTERPOSE cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaEventSynchronize)> vendor(
      "cudaEventSynchronize");
  return synchronize<Api::runtime>(event, __builtin_frame_address(0), vendor.get());
}

// Not a wait. A loop of them is one.
GRIDLOCK_CUDA_TWINS(cudaStreamQuery, _ptsz, (cudaStream_t stream),
                    query(resolve(stream, meaning), vendor, stream));

GRIDLOCK_INTERPOSE cudaError_t cudaEventQuery(cudaEvent_t event) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cudaEventQuery)> vendor("cudaEventQuery");
  return query(event, vendor.get());
}
