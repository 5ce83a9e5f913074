// The simulation's headers, item by item.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include "tests/sim/abi/describe.h"

headers::Table headers::simulated() {
  Table table;
#include "tests/sim/abi/cuda_list.inc"
  return table;
}
