// The scan for non-finite values on the CPU.
#include "kernels/updates/nan_scan.h"

#include <algorithm>
#include <cmath>

namespace gridlock::kernels::cpu {

void nan_scan(const float* values, std::int64_t count, int* flag) {
  const bool finite =
      std::all_of(values, values + count, [](float value) { return std::isfinite(value); });
  if (!finite) flag[0] = 1;
}

}  // namespace gridlock::kernels::cpu
