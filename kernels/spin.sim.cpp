// The bounded spin on a simulated stream, whose thread it occupies.
#include "kernels/spin.h"

#include <gridlock_sim/launch.h>

namespace gridlock::kernels {

cudaError_t launch_spin(std::uint64_t nanoseconds, const int* flag, cudaStream_t stream) {
  return sim::launch(stream, [=] { cpu::spin(nanoseconds, flag); });
}

}  // namespace gridlock::kernels
