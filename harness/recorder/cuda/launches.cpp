// Launches: host functions and graphs, which can hold a stream; kernels, which only inherit order.
#include <gridlock_sim/launch.h>

#include "harness/recorder/cuda/call.h"

using namespace gridlock::recorder;  // the interposed functions are outside of all namespaces
using gridlock::record::Call;

namespace {

template <class Function, class... Arguments>
cudaError_t launch(Call call, cudaStream_t stream, const void* frame, Function* vendor,
                   Arguments... arguments) {
  if (vendor == nullptr) return cudaErrorNotSupported;
  ThreadState& thread = this_thread();
  if (!records(thread) || is_captured(stream)) return vendor(arguments...);
  gridlock::record::OperationEntry entry;
  entry.call = call;
  entry.stream = stream_index(stream);
  return forward_operation(thread, entry, frame, vendor, arguments...);
}

using LaunchKernel = cudaError_t(const void*, dim3, dim3, void**, size_t, cudaStream_t);
using LaunchHandle = cudaError_t(void*, dim3, dim3, void**, size_t, cudaStream_t);

// How a cudaLaunchConfig_t begins.
struct Launch {
  dim3 grid;
  dim3 block;
  size_t shared;
  cudaStream_t stream;
};
using LaunchConfigured = cudaError_t(const Launch*, const void*, void**);

// Without a configuration CUDA refuses the launch, whatever the stream.
cudaStream_t stream_of(const Launch* launch) {
  return launch == nullptr ? nullptr : launch->stream;
}

}  // namespace

GRIDLOCK_INTERPOSE cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                                                  void* data) {
  static constinit Cuda<cudaError_t(cudaStream_t, cudaHostFn_t, void*)> vendor(
      "cudaLaunchHostFunc");
  return launch(Call::host_function, stream, __builtin_frame_address(0), vendor.get(), stream,
                function, data);
}

GRIDLOCK_INTERPOSE cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function,
                                                       void* data) {
  static constinit Cuda<cudaError_t(cudaStream_t, cudaHostFn_t, void*)> vendor(
      "cudaLaunchHostFunc_ptsz");
  return launch(Call::host_function, resolve(stream, DefaultStream::per_thread),
                __builtin_frame_address(0), vendor.get(), stream, function, data);
}

GRIDLOCK_INTERPOSE cudaError_t cudaStreamAddCallback(cudaStream_t stream,
                                                     cudaStreamCallback_t callback, void* data,
                                                     unsigned int flags) {
  static constinit Cuda<cudaError_t(cudaStream_t, cudaStreamCallback_t, void*, unsigned int)>
      vendor("cudaStreamAddCallback");
  return launch(Call::host_function, stream, __builtin_frame_address(0), vendor.get(), stream,
                callback, data, flags);
}

GRIDLOCK_INTERPOSE cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream,
                                                          cudaStreamCallback_t callback, void* data,
                                                          unsigned int flags) {
  static constinit Cuda<cudaError_t(cudaStream_t, cudaStreamCallback_t, void*, unsigned int)>
      vendor("cudaStreamAddCallback_ptsz");
  return launch(Call::host_function, resolve(stream, DefaultStream::per_thread),
                __builtin_frame_address(0), vendor.get(), stream, callback, data, flags);
}

GRIDLOCK_INTERPOSE cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  static constinit Cuda<cudaError_t(cudaGraphExec_t, cudaStream_t)> vendor("cudaGraphLaunch");
  return launch(Call::graph_launch, stream, __builtin_frame_address(0), vendor.get(), graph,
                stream);
}

GRIDLOCK_INTERPOSE cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t graph, cudaStream_t stream) {
  static constinit Cuda<cudaError_t(cudaGraphExec_t, cudaStream_t)> vendor("cudaGraphLaunch_ptsz");
  return launch(Call::graph_launch, resolve(stream, DefaultStream::per_thread),
                __builtin_frame_address(0), vendor.get(), graph, stream);
}

GRIDLOCK_INTERPOSE cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block,
                                                void** arguments, size_t shared,
                                                cudaStream_t stream) {
  static constinit Cuda<LaunchKernel> vendor("cudaLaunchKernel");
  return forward_work(stream, __builtin_frame_address(0), vendor.get(), function, grid, block,
                      arguments, shared, stream);
}

GRIDLOCK_INTERPOSE cudaError_t cudaLaunchKernel_ptsz(const void* function, dim3 grid, dim3 block,
                                                     void** arguments, size_t shared,
                                                     cudaStream_t stream) {
  static constinit Cuda<LaunchKernel> vendor("cudaLaunchKernel_ptsz");
  return forward_work(resolve(stream, DefaultStream::per_thread), __builtin_frame_address(0),
                      vendor.get(), function, grid, block, arguments, shared, stream);
}

GRIDLOCK_INTERPOSE cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid,
                                                           dim3 block, void** arguments,
                                                           size_t shared, cudaStream_t stream) {
  static constinit Cuda<LaunchKernel> vendor("cudaLaunchCooperativeKernel");
  return forward_work(stream, __builtin_frame_address(0), vendor.get(), function, grid, block,
                      arguments, shared, stream);
}

GRIDLOCK_INTERPOSE cudaError_t cudaLaunchCooperativeKernel_ptsz(const void* function, dim3 grid,
                                                                dim3 block, void** arguments,
                                                                size_t shared,
                                                                cudaStream_t stream) {
  static constinit Cuda<LaunchKernel> vendor("cudaLaunchCooperativeKernel_ptsz");
  return forward_work(resolve(stream, DefaultStream::per_thread), __builtin_frame_address(0),
                      vendor.get(), function, grid, block, arguments, shared, stream);
}

// What <<<>>> calls since CUDA 13; the handle of the kernel is all that differs.
GRIDLOCK_INTERPOSE cudaError_t __cudaLaunchKernel(void* kernel, dim3 grid, dim3 block,
                                                  void** arguments, size_t shared,
                                                  cudaStream_t stream) {
  static constinit Cuda<LaunchHandle> vendor("__cudaLaunchKernel");
  return forward_work(stream, __builtin_frame_address(0), vendor.get(), kernel, grid, block,
                      arguments, shared, stream);
}

GRIDLOCK_INTERPOSE cudaError_t __cudaLaunchKernel_ptsz(void* kernel, dim3 grid, dim3 block,
                                                       void** arguments, size_t shared,
                                                       cudaStream_t stream) {
  static constinit Cuda<LaunchHandle> vendor("__cudaLaunchKernel_ptsz");
  return forward_work(resolve(stream, DefaultStream::per_thread), __builtin_frame_address(0),
                      vendor.get(), kernel, grid, block, arguments, shared, stream);
}

GRIDLOCK_INTERPOSE cudaError_t cudaLaunchKernelExC(const Launch* launch, const void* function,
                                                   void** arguments) {
  static constinit Cuda<LaunchConfigured> vendor("cudaLaunchKernelExC");
  return forward_work(stream_of(launch), __builtin_frame_address(0), vendor.get(), launch, function,
                      arguments);
}

GRIDLOCK_INTERPOSE cudaError_t cudaLaunchKernelExC_ptsz(const Launch* launch, const void* function,
                                                        void** arguments) {
  static constinit Cuda<LaunchConfigured> vendor("cudaLaunchKernelExC_ptsz");
  return forward_work(resolve(stream_of(launch), DefaultStream::per_thread),
                      __builtin_frame_address(0), vendor.get(), launch, function, arguments);
}

// The simulation's kernel launch.
GRIDLOCK_INTERPOSE cudaError_t simLaunch(cudaStream_t stream, void (*function)(void*),
                                         void* argument, void (*drop)(void*)) {
  static constinit Cuda<decltype(simLaunch)> vendor("simLaunch");
  return forward_work(stream, __builtin_frame_address(0), vendor.get(), stream, function, argument,
                      drop);
}
