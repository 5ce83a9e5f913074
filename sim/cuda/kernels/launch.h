// Launches a kernel as one entry of a stream.
#pragma once

#include <cuda_runtime_api.h>

#include "sim/cuda/kernels/function.h"

namespace sim::kernels {

struct Shape {
  dim3 grid;
  dim3 block;
  std::size_t dynamic_shared = 0;
};

// `arguments` has the address of each parameter. If it is null, `extra` names a buffer with all of
// them (CU_LAUNCH_PARAM_BUFFER_POINTER). `begun`, if given, is recorded when the kernel has its
// room on the device.
//   Blocks   at the kernel's first launch, until it is loaded (wait_for_load); otherwise no
cudaError_t launch(Function& function, const Shape& shape, void** arguments, void** extra,
                   cudaStream_t stream, cudaEvent_t begun = nullptr);

}  // namespace sim::kernels
