// Launches: host functions, which can hold up a stream, and kernels, which only inherit order.
#include <gridlock_sim/launch.h>

#include <span>

#include "harness/recorder/cuda/shared_calls.h"
#include "harness/recorder/cuda/twins.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces

namespace {

// CUDA refuses a launch without a configuration, so the stream does not matter then.
cudaStream_t stream_of(const cudaLaunchConfig_t* launch) {
  return launch == nullptr ? nullptr : launch->stream;
}
std::span<const cudaLaunchAttribute> attributes_of(const cudaLaunchConfig_t* launch) {
  if (launch == nullptr) return {};
  return {launch->attrs, launch->numAttrs};
}

}  // namespace

GRIDLOCK_CUDA_TWINS(cudaLaunchHostFunc, _ptsz,
                    (cudaStream_t stream, cudaHostFn_t function, void* data),
                    launch_host_function<Api::runtime>(resolve(stream, meaning), frame, vendor,
                                                       stream, function, data));

GRIDLOCK_CUDA_TWINS(cudaStreamAddCallback, _ptsz,
                    (cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                     unsigned int flags),
                    launch_host_function<Api::runtime>(resolve(stream, meaning), frame, vendor,
                                                       stream, callback, data, flags));

GRIDLOCK_CUDA_TWINS(cudaLaunchKernel, _ptsz,
                    (const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                     cudaStream_t stream),
                    launch_kernel(resolve(stream, meaning), frame, vendor, function, grid, block,
                                  arguments, shared, stream));

GRIDLOCK_CUDA_TWINS(cudaLaunchCooperativeKernel, _ptsz,
                    (const void* function, dim3 grid, dim3 block, void** arguments, size_t shared,
                     cudaStream_t stream),
                    launch_kernel(resolve(stream, meaning), frame, vendor, function, grid, block,
                                  arguments, shared, stream));

// <<<>>> calls this since CUDA 13; only the kernel's handle differs.
GRIDLOCK_CUDA_TWINS(__cudaLaunchKernel, _ptsz,
                    (void* kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                     cudaStream_t stream),
                    launch_kernel(resolve(stream, meaning), frame, vendor, kernel, grid, block,
                                  arguments, shared, stream));

GRIDLOCK_CUDA_TWINS(cudaLaunchKernelExC, _ptsz,
                    (const cudaLaunchConfig_t* launch, const void* function, void** arguments),
                    launch_with(attributes_of(launch), resolve(stream_of(launch), meaning), frame,
                                vendor, launch, function, arguments));

// The simulation's kernel launch.
GRIDLOCK_INTERPOSE cudaError_t simLaunch(cudaStream_t stream, void (*function)(void*),
                                         void* argument, void (*drop)(void*)) {
  GRIDLOCK_LOOKUP static constinit NextCuda<decltype(simLaunch)> vendor("simLaunch");
  return launch_kernel(stream, __builtin_frame_address(0), vendor.get(), stream, function, argument,
                       drop);
}
