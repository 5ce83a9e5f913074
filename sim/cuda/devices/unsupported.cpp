// Calls that exist only to say that they are not simulated: a silent success would be worse.
#include <cuda_runtime_api.h>

#include "sim/cuda/devices/api.h"

using sim::not_supported;

cudaError_t cudaMallocManaged(void**, size_t, unsigned int) {
  return not_supported("cudaMallocManaged");
}
