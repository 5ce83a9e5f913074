// Sinusoidal positional encoding: the buffer that grows with the longest sequence seen.
//
//   buffer[c][t] = sin(t / 10000^(c / channels))         for even c
//                  cos(t / 10000^((c - 1) / channels))   for odd c
//
//   buffer  [channels][length] float32, device memory
//   Errors  cudaErrorInvalidValue for a negative extent, or a buffer shorter than the sequence;
//           what the launch reported
//   Blocks  no (enqueued on `stream`)
//   Source  Vaswani et al. 2017, section 3.5. The angle is computed in float64: in float32 its
//           error grows with t (t = 2000: 1e-4).
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/shape.h"

namespace gridlock::kernels {

cudaError_t launch_positional_fill(float* buffer, int channels, int length, cudaStream_t stream);

// y[b][c][t] = x[b][c][t] + buffer[c][t]. y may be x. Its gradient with respect to x is the
// identity.
//   length  of the buffer, at least shape.time
cudaError_t launch_positional_add(const float* x, Shape3 shape, const float* buffer, int length,
                                  float* y, cudaStream_t stream);

namespace cpu {
void positional_fill(float* buffer, int channels, int length);
void positional_add(const float* x, Shape3 shape, const float* buffer, int length, float* y);
}  // namespace cpu
}  // namespace gridlock::kernels
