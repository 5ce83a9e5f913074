// Replaces the simulation's launch when the tests of its behavior run on a GPU: work in stream
// order that runs on the host. CUDA may run such functions one at a time, so they must not wait,
// and they must make no CUDA call. The tests' probes follow these rules.
#pragma once

#include <cuda_runtime.h>

#include <functional>
#include <memory>
#include <utility>

namespace sim {

template <class Callable>
cudaError_t launch(cudaStream_t stream, Callable&& callable) {
  auto owned = std::make_unique<std::function<void()>>(std::forward<Callable>(callable));
  const cudaError_t error = cudaLaunchHostFunc(
      stream,
      [](void* data) {
        const std::unique_ptr<std::function<void()>> function(
            static_cast<std::function<void()>*>(data));
        (*function)();
      },
      owned.get());
  if (error == cudaSuccess) static_cast<void>(owned.release());
  return error;
}

}  // namespace sim
