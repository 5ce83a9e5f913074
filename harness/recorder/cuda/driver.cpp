// The driver API, as far as it waits, orders work, marks events or destroys graphs. A program may
// call it beside the runtime, whose streams and events it shares.
#include "harness/recorder/core/streams/graphs.h"
#include "harness/recorder/cuda/shared_calls.h"
#include "harness/recorder/cuda/twins.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;

namespace {

// CUlaunchConfig. Its attributes are the runtime's.
struct LaunchConfig {
  unsigned int grid[3];
  unsigned int block[3];
  unsigned int shared;
  cudaStream_t stream;
  cudaLaunchAttribute* attributes;
  unsigned int count;
};

cudaStream_t stream_of(const LaunchConfig* launch) {
  return launch == nullptr ? nullptr : launch->stream;
}
std::span<const cudaLaunchAttribute> attributes_of(const LaunchConfig* launch) {
  if (launch == nullptr) return {};
  return {launch->attributes, launch->count};
}

}  // namespace

GRIDLOCK_CUDA_TWINS(cuStreamSynchronize, _ptsz, (cudaStream_t stream),
                    synchronize<Api::driver>(resolve(stream, meaning), frame, vendor, stream));

GRIDLOCK_INTERPOSE cudaError_t cuCtxSynchronize() {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cuCtxSynchronize)> vendor("cuCtxSynchronize");
  return wait_for_device<Api::driver>(Call::device_synchronize, __builtin_frame_address(0),
                                      vendor.get());
}

GRIDLOCK_INTERPOSE cudaError_t cuEventSynchronize(cudaEvent_t event) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cuEventSynchronize)> vendor(
      "cuEventSynchronize");
  return synchronize<Api::driver>(event, __builtin_frame_address(0), vendor.get());
}

GRIDLOCK_CUDA_TWINS(cuStreamQuery, _ptsz, (cudaStream_t stream),
                    query(resolve(stream, meaning), vendor, stream));

GRIDLOCK_INTERPOSE cudaError_t cuEventQuery(cudaEvent_t event) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cuEventQuery)> vendor("cuEventQuery");
  return query(event, vendor.get());
}

GRIDLOCK_CUDA_TWINS(cuEventRecord, _ptsz, (cudaEvent_t event, cudaStream_t stream),
                    record_event<Api::driver>(event, resolve(stream, meaning), 0, frame, vendor,
                                              event, stream));

GRIDLOCK_CUDA_TWINS(cuEventRecordWithFlags, _ptsz,
                    (cudaEvent_t event, cudaStream_t stream, unsigned int flags),
                    record_event<Api::driver>(event, resolve(stream, meaning), flags, frame, vendor,
                                              event, stream, flags));

GRIDLOCK_INTERPOSE cudaError_t cuEventDestroy_v2(cudaEvent_t event) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cuEventDestroy_v2)> vendor(
      "cuEventDestroy_v2");
  return destroy(event, vendor.get());
}

GRIDLOCK_INTERPOSE cudaError_t cuStreamCreate(cudaStream_t* stream, unsigned int flags) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cuStreamCreate)> vendor("cuStreamCreate");
  return make_stream<Api::driver>(vendor.get(), flags, stream, flags);
}

GRIDLOCK_INTERPOSE cudaError_t cuStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags,
                                                          int priority) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cuStreamCreateWithPriority)> vendor(
      "cuStreamCreateWithPriority");
  return make_stream<Api::driver>(vendor.get(), flags, stream, flags, priority);
}

GRIDLOCK_INTERPOSE cudaError_t cuStreamDestroy_v2(cudaStream_t stream) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cuStreamDestroy_v2)> vendor(
      "cuStreamDestroy_v2");
  return destroy(stream, vendor.get());
}

GRIDLOCK_INTERPOSE cudaError_t cuGraphDestroy(cudaGraph_t graph) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cuGraphDestroy)> vendor("cuGraphDestroy");
  graph_destroyed(graph);
  return vendor.get() == nullptr ? cudaErrorNotSupported : vendor.get()(graph);
}

GRIDLOCK_INTERPOSE cudaError_t cuGraphExecDestroy(cudaGraphExec_t executable) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(cuGraphExecDestroy)> vendor(
      "cuGraphExecDestroy");
  executable_destroyed(executable);
  return vendor.get() == nullptr ? cudaErrorNotSupported : vendor.get()(executable);
}

GRIDLOCK_CUDA_TWINS(cuLaunchHostFunc, _ptsz,
                    (cudaStream_t stream, cudaHostFn_t function, void* data),
                    launch_host_function<Api::driver>(resolve(stream, meaning), frame, vendor,
                                                      stream, function, data));

GRIDLOCK_CUDA_TWINS(cuLaunchKernel, _ptsz,
                    (void* function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                     unsigned int block_x, unsigned int block_y, unsigned int block_z,
                     unsigned int shared, cudaStream_t stream, void** arguments, void** extra),
                    launch_kernel(resolve(stream, meaning), frame, vendor, function, grid_x, grid_y,
                                  grid_z, block_x, block_y, block_z, shared, stream, arguments,
                                  extra));

GRIDLOCK_CUDA_TWINS(cuLaunchKernelEx, _ptsz,
                    (const LaunchConfig* launch, void* function, void** arguments, void** extra),
                    launch_with(attributes_of(launch), resolve(stream_of(launch), meaning), frame,
                                vendor, launch, function, arguments, extra));
