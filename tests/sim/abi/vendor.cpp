// The vendor's headers, item by item.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include "tests/sim/abi/describe.h"

headers::Table headers::vendor() {
  Table table;
#if CUDART_VERSION == 13000
#include "tests/sim/abi/cuda_list.inc"
#endif
  return table;
}
