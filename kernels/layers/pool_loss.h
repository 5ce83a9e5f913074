// The model's end: mean over the valid time steps, then mean squared error against a target.
//
//   pooled[b][c] = mean of x[b][c][t] over t < lengths[b]   (0 where lengths[b] is 0)
//   loss         = mean over b and c of (pooled[b][c] - target[b][c])^2   (0 for an empty batch)
//
//   x, dx           [batch][channels][time] float32, contiguous, device memory, as all below
//   lengths         [batch] int32, or null where all steps are valid; cut to 0 … time
//   target, pooled  [batch][channels]
//   loss            [1]
//   Errors          cudaErrorInvalidValue for a negative extent; what the launch reported
//   Blocks          no (enqueued on `stream`)
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/shape.h"

namespace gridlock::kernels {

// `pooled` is the model's output, and what the backward needs.
cudaError_t launch_pool_loss_forward(const float* x, Shape3 shape, const int* lengths,
                                     const float* target, float* pooled, float* loss,
                                     cudaStream_t stream);

// dx = scale * d loss / d x; 0 where t >= lengths[b]. `scale` does not change the reported loss; it
// is 1 / n for n accumulated micro-batches.
cudaError_t launch_pool_loss_backward(const float* pooled, const float* target, Shape3 shape,
                                      const int* lengths, float scale, float* dx,
                                      cudaStream_t stream);

namespace cpu {
void pool_loss_forward(const float* x, Shape3 shape, const int* lengths, const float* target,
                       float* pooled, float* loss);
void pool_loss_backward(const float* pooled, const float* target, Shape3 shape, const int* lengths,
                        float scale, float* dx);
}  // namespace cpu
}  // namespace gridlock::kernels
