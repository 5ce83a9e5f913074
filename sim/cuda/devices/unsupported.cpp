// Calls that only report that they are not simulated, because a silent success would be worse.
#include <cuda_runtime_api.h>

#include "sim/cuda/devices/api.h"

using sim::not_supported;

cudaError_t cudaMallocManaged(void**, size_t, unsigned int) {
  return not_supported("cudaMallocManaged");
}
