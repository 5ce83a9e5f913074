// A linear layer at each time step (a convolution of kernel size 1).
//
//   y[b][o][t] = bias[o] + sum_i weight[o][i] x[b][i][t]
//
//   x       [batch][in_channels][time]   float32, contiguous, device memory, as all below
//   weight  [out_channels][in_channels]
//   bias    [out_channels]
//   y       [batch][out_channels][time]
//   Errors  cudaErrorInvalidValue for a negative extent or a null handle; what cuBLAS or the launch
//           reported
//   Blocks  no (enqueued on `stream`), except create and destroy
//   Source  the products are matrix products: cuBLAS (float32, no TF32) on the GPU
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/shape.h"

namespace gridlock::kernels {

// cuBLAS's state. The caller creates it explicitly, because creating it allocates device memory and
// may wait for the device. In a program about hangs, the source must show such a wait.
struct LinearHandle;

// A handle for the current device. One host thread uses it at a time.
//   Blocks   the host: may wait for the whole device (it allocates). Destroy does wait.
cudaError_t linear_create(LinearHandle** handle);
cudaError_t linear_destroy(LinearHandle* handle);  // null is allowed

// In every call here, `x_shape` is the shape of the input.
cudaError_t launch_linear_forward(LinearHandle* handle, const float* x, const float* weight,
                                  const float* bias, Shape3 x_shape, int out_channels, float* y,
                                  cudaStream_t stream);

// dx (shape of x) from dy (shape of y).
cudaError_t launch_linear_backward_data(LinearHandle* handle, const float* dy, const float* weight,
                                        Shape3 x_shape, int out_channels, float* dx,
                                        cudaStream_t stream);

// dweight and dbias are overwritten; an empty batch gives zeros.
cudaError_t launch_linear_backward_weight(LinearHandle* handle, const float* dy, const float* x,
                                          Shape3 x_shape, int out_channels, float* dweight,
                                          float* dbias, cudaStream_t stream);

namespace cpu {
void linear_forward(const float* x, const float* weight, const float* bias, Shape3 x_shape,
                    int out_channels, float* y);
void linear_backward_data(const float* dy, const float* weight, Shape3 x_shape, int out_channels,
                          float* dx);
void linear_backward_weight(const float* dy, const float* x, Shape3 x_shape, int out_channels,
                            float* dweight, float* dbias);
}  // namespace cpu
}  // namespace gridlock::kernels
