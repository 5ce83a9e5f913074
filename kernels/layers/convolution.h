// Convolution over time, kernel 3, stride 2, padding 1: the subsampling at the encoder's front.
//
//   y[b][o][t] = bias[o] + sum_i sum_k weight[o][i][k] x[b][i][2t - 1 + k],  x outside is 0
//
//   x       [batch][in_channels][time]             float32, contiguous, device memory, as all below
//   weight  [out_channels][in_channels][3]
//   bias    [out_channels]
//   y       [batch][out_channels][(time + 1) / 2]
//   Errors  cudaErrorInvalidValue for a negative extent; what the launch reported
//   Blocks  no (enqueued on `stream`)
//   Source  Dumoulin and Visin 2016, "A guide to convolution arithmetic", section 2.4; the
//           subsampling is the Conformer's (Gulati et al. 2020). Error bound in docs/kernels.md
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/shape.h"

namespace gridlock::kernels {

constexpr int subsampled(int time) { return time / 2 + time % 2; }

// In every call here, `x_shape` is the shape of the input.
cudaError_t launch_convolution_forward(const float* x, const float* weight, const float* bias,
                                       Shape3 x_shape, int out_channels, float* y,
                                       cudaStream_t stream);

// dx (shape of x) from dy (shape of y).
cudaError_t launch_convolution_backward_data(const float* dy, const float* weight, Shape3 x_shape,
                                             int out_channels, float* dx, cudaStream_t stream);

// dweight and dbias are overwritten; an empty batch gives zeros.
cudaError_t launch_convolution_backward_weight(const float* dy, const float* x, Shape3 x_shape,
                                               int out_channels, float* dweight, float* dbias,
                                               cudaStream_t stream);

namespace cpu {
void convolution_forward(const float* x, const float* weight, const float* bias, Shape3 x_shape,
                         int out_channels, float* y);
void convolution_backward_data(const float* dy, const float* weight, Shape3 x_shape,
                               int out_channels, float* dx);
void convolution_backward_weight(const float* dy, const float* x, Shape3 x_shape, int out_channels,
                                 float* dweight, float* dbias);
}  // namespace cpu
}  // namespace gridlock::kernels
