// A launch of a kernel: one entry of a stream.
#pragma once

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/function.h"

namespace sim::kernels {

struct Shape {
  dim3 grid;
  dim3 block;
  std::size_t dynamic_shared = 0;
};

// Parameters: `arguments` has an address for each, or, where it is null, `extra` a buffer
// (CU_LAUNCH_PARAM_BUFFER_POINTER). `begun`, where there is one, is recorded when the kernel has its
// room on the device.
//   Blocks   no; at a kernel's first launch, while its module is loaded
cudaError_t launch(Function& function, const Shape& shape, void** arguments, void** extra,
                   cudaStream_t stream, cudaEvent_t begun = nullptr);

}  // namespace sim::kernels
