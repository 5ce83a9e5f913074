// The scan for non-finite values on a simulated stream.
#include "kernels/updates/nan_scan.h"

#include <gridlock_sim/launch.h>

namespace gridlock::kernels {

cudaError_t launch_nan_scan(const float* values, std::int64_t count, int* flag,
                            cudaStream_t stream) {
  if (count < 0) return cudaErrorInvalidValue;
  return sim::launch(stream, [=] { cpu::nan_scan(values, count, flag); });
}

}  // namespace gridlock::kernels
