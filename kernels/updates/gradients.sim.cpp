// The reducer's elementwise work on a simulated stream.
#include "kernels/updates/gradients.h"

#include <gridlock_sim/launch.h>

namespace gridlock::kernels {

cudaError_t launch_gradient_pack(const float* gradient, std::int64_t count, float scale,
                                 float* bucket, std::int64_t offset, cudaStream_t stream) {
  if (count < 0 || offset < 0) return cudaErrorInvalidValue;
  return sim::launch(stream, [=] { cpu::gradient_pack(gradient, count, scale, bucket, offset); });
}

cudaError_t launch_gradient_unpack(const float* bucket, std::int64_t offset, std::int64_t count,
                                   float scale, float* gradient, cudaStream_t stream) {
  if (count < 0 || offset < 0) return cudaErrorInvalidValue;
  return sim::launch(stream, [=] { cpu::gradient_unpack(bucket, offset, count, scale, gradient); });
}

cudaError_t launch_gradient_accumulate(const float* other, std::int64_t count, float scale,
                                       float* gradient, cudaStream_t stream) {
  if (count < 0) return cudaErrorInvalidValue;
  return sim::launch(stream, [=] { cpu::gradient_accumulate(other, count, scale, gradient); });
}

cudaError_t launch_scale(float* values, std::int64_t count, float factor, cudaStream_t stream) {
  if (count < 0) return cudaErrorInvalidValue;
  return sim::launch(stream, [=] { cpu::scale(values, count, factor); });
}

cudaError_t launch_fill(float* values, std::int64_t count, float value, cudaStream_t stream) {
  if (count < 0) return cudaErrorInvalidValue;
  return sim::launch(stream, [=] { cpu::fill(values, count, value); });
}

cudaError_t launch_nan_to_num(float* values, std::int64_t count, cudaStream_t stream) {
  if (count < 0) return cudaErrorInvalidValue;
  return sim::launch(stream, [=] { cpu::nan_to_num(values, count); });
}

}  // namespace gridlock::kernels
