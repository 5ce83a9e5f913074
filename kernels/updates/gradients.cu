// The reducer's elementwise work on the GPU. All of it is bound by memory.
#include <cfloat>

#include "kernels/device.cuh"
#include "kernels/updates/gradients.h"

namespace gridlock::kernels {

cudaError_t launch_gradient_pack(const float* gradient, std::int64_t count, float scale,
                                 float* bucket, std::int64_t offset, cudaStream_t stream) {
  if (offset < 0) return cudaErrorInvalidValue;
  return device::map(
      stream, count, bucket + offset, [scale] __device__(float value) { return scale * value; },
      gradient);
}

cudaError_t launch_gradient_unpack(const float* bucket, std::int64_t offset, std::int64_t count,
                                   float scale, float* gradient, cudaStream_t stream) {
  if (offset < 0) return cudaErrorInvalidValue;
  return device::map(
      stream, count, gradient, [scale] __device__(float value) { return scale * value; },
      bucket + offset);
}

cudaError_t launch_gradient_accumulate(const float* other, std::int64_t count, float scale,
                                       float* gradient, cudaStream_t stream) {
  return device::map(
      stream, count, gradient,
      [scale] __device__(float value, float sum) { return sum + scale * value; }, other,
      static_cast<const float*>(gradient));
}

cudaError_t launch_scale(float* values, std::int64_t count, float factor, cudaStream_t stream) {
  return device::map(
      stream, count, values, [factor] __device__(float value) { return factor * value; },
      static_cast<const float*>(values));
}

cudaError_t launch_fill(float* values, std::int64_t count, float value, cudaStream_t stream) {
  return device::map(stream, count, values, [value] __device__() { return value; });
}

cudaError_t launch_nan_to_num(float* values, std::int64_t count, cudaStream_t stream) {
  return device::map(
      stream, count, values,
      [] __device__(float value) {
        return isnan(value) ? 0.0F : fminf(fmaxf(value, -FLT_MAX), FLT_MAX);
      },
      static_cast<const float*>(values));
}

}  // namespace gridlock::kernels
