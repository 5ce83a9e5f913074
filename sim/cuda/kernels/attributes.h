// Launches with attributes.
#pragma once

#include "sim/cuda/kernels/launch.h"

namespace sim::kernels {

// Like launch(). Records the events that the attributes name when the stream comes to the kernel.
//   Errors   also cudaErrorCooperativeLaunchTooLarge
cudaError_t launch_with_attributes(Function& function, const Shape& shape,
                                   const cudaLaunchAttribute* attributes, unsigned int count,
                                   void** arguments, void** extra, cudaStream_t stream);

}  // namespace sim::kernels
