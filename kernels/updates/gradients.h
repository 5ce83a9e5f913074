// What a reducer does with gradients, besides communicating them.
//
//   values, gradient  [count] float32, device memory
//   bucket            float32, device memory; [offset, offset + count) is used
//   Errors            cudaErrorInvalidValue for a negative count or offset; what the launch said
//   Blocks            no (enqueued on `stream`)
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace gridlock::kernels {

// bucket[offset + i] = scale * gradient[i]. With scale = 1 / world size before the all-reduce, the
// sum becomes a mean, as in DDP.
cudaError_t launch_gradient_pack(const float* gradient, std::int64_t count, float scale,
                                 float* bucket, std::int64_t offset, cudaStream_t stream);

// gradient[i] = scale * bucket[offset + i].
cudaError_t launch_gradient_unpack(const float* bucket, std::int64_t offset, std::int64_t count,
                                   float scale, float* gradient, cudaStream_t stream);

// gradient[i] += scale * other[i] (gradient accumulation).
cudaError_t launch_gradient_accumulate(const float* other, std::int64_t count, float scale,
                                       float* gradient, cudaStream_t stream);

// values[i] *= factor.
cudaError_t launch_scale(float* values, std::int64_t count, float factor, cudaStream_t stream);

// values[i] = value.
cudaError_t launch_fill(float* values, std::int64_t count, float value, cudaStream_t stream);

// NaN becomes 0, infinity the largest finite float of its sign, as torch.nan_to_num does.
cudaError_t launch_nan_to_num(float* values, std::int64_t count, cudaStream_t stream);

namespace cpu {
void gradient_pack(const float* gradient, std::int64_t count, float scale, float* bucket,
                   std::int64_t offset);
void gradient_unpack(const float* bucket, std::int64_t offset, std::int64_t count, float scale,
                     float* gradient);
void gradient_accumulate(const float* other, std::int64_t count, float scale, float* gradient);
void scale(float* values, std::int64_t count, float factor);
void fill(float* values, std::int64_t count, float value);
void nan_to_num(float* values, std::int64_t count);
}  // namespace cpu
}  // namespace gridlock::kernels
