// The linear layer on the GPU. Row-major [rows][columns] is cuBLAS's column-major transpose, so
// each product below is written for the transposed matrices: y^T = x^T W^T.
#include <cublas_v2.h>

#include <new>

#include "kernels/layers/linear.h"
#include "kernels/layers/rows.cuh"

namespace gridlock::kernels {

struct LinearHandle {
  cublasHandle_t cublas;
};

namespace {

cudaError_t to_cuda(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return cudaSuccess;
    case CUBLAS_STATUS_ALLOC_FAILED:
      return cudaErrorMemoryAllocation;
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return cudaErrorInitializationError;
    case CUBLAS_STATUS_INVALID_VALUE:
      return cudaErrorInvalidValue;
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return cudaErrorNoKernelImageForDevice;
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return cudaErrorLaunchFailure;
    default:
      return cudaErrorUnknown;
  }
}

__global__ void fill_bias(const float* __restrict__ bias, Shape3 shape, float* __restrict__ y) {
  const std::int64_t rows = static_cast<std::int64_t>(shape.batch) * shape.channels;
  for (std::int64_t row = device::first_row(); row < rows; row += device::row_stride()) {
    const float value = bias[row % shape.channels];
    for (int t = threadIdx.x; t < shape.time; t += device::kWarp) y[row * shape.time + t] = value;
  }
}

bool usable(const LinearHandle* handle, Shape3 x_shape, int out_channels) {
  return handle != nullptr && valid(x_shape) && out_channels >= 0;
}

// c = a b + beta c for each sample; column-major, sizes in cuBLAS's order.
struct Product {
  cublasOperation_t transpose_a, transpose_b;
  int m, n, k;
  const float *a, *b;
  float* c;
  int lda, ldb, ldc;
  std::int64_t stride_a, stride_b, stride_c;
  int batch;
};

cudaError_t multiply(LinearHandle* handle, const Product& p, float beta, cudaStream_t stream) {
  const float alpha = 1.0F;
  const cublasStatus_t status = cublasSetStream(handle->cublas, stream);
  if (status != CUBLAS_STATUS_SUCCESS) return to_cuda(status);
  return to_cuda(cublasSgemmStridedBatched(handle->cublas, p.transpose_a, p.transpose_b, p.m, p.n,
                                           p.k, &alpha, p.a, p.lda, p.stride_a, p.b, p.ldb,
                                           p.stride_b, &beta, p.c, p.ldc, p.stride_c, p.batch));
}

}  // namespace

cudaError_t linear_create(LinearHandle** handle) {
  if (handle == nullptr) return cudaErrorInvalidValue;
  *handle = nullptr;
  cublasHandle_t cublas = nullptr;
  cublasStatus_t status = cublasCreate(&cublas);
  if (status != CUBLAS_STATUS_SUCCESS) return to_cuda(status);
  // Products are in float32, whatever the library's default is.
  status = cublasSetMathMode(cublas, CUBLAS_PEDANTIC_MATH);
  auto* made = status == CUBLAS_STATUS_SUCCESS ? new (std::nothrow) LinearHandle{cublas} : nullptr;
  if (made == nullptr) {
    cublasDestroy(cublas);
    return status == CUBLAS_STATUS_SUCCESS ? cudaErrorMemoryAllocation : to_cuda(status);
  }
  *handle = made;
  return cudaSuccess;
}

cudaError_t linear_destroy(LinearHandle* handle) {
  if (handle == nullptr) return cudaSuccess;
  const cublasStatus_t status = cublasDestroy(handle->cublas);
  delete handle;
  return to_cuda(status);
}

// y is filled with the bias and the product is added to it.
cudaError_t launch_linear_forward(LinearHandle* handle, const float* x, const float* weight,
                                  const float* bias, Shape3 x_shape, int out_channels, float* y,
                                  cudaStream_t stream) {
  if (!usable(handle, x_shape, out_channels)) return cudaErrorInvalidValue;
  const auto [batch, in_channels, time] = x_shape;
  const Shape3 y_shape{batch, out_channels, time};
  if (elements(y_shape) == 0) return cudaSuccess;
  const std::int64_t rows = static_cast<std::int64_t>(batch) * out_channels;
  fill_bias<<<device::blocks_for(rows, device::kWarps), device::row_block(), 0, stream>>>(
      bias, y_shape, y);
  const cudaError_t error = device::launched();
  if (error != cudaSuccess || in_channels == 0) return error;
  const std::int64_t x_sample = static_cast<std::int64_t>(in_channels) * time;
  const std::int64_t y_sample = static_cast<std::int64_t>(out_channels) * time;
  return multiply(handle,
                  {CUBLAS_OP_N, CUBLAS_OP_N, time, out_channels, in_channels, x, weight, y, time,
                   in_channels, time, x_sample, 0, y_sample, batch},
                  1.0F, stream);
}

cudaError_t launch_linear_backward_data(LinearHandle* handle, const float* dy, const float* weight,
                                        Shape3 x_shape, int out_channels, float* dx,
                                        cudaStream_t stream) {
  if (!usable(handle, x_shape, out_channels)) return cudaErrorInvalidValue;
  const auto [batch, in_channels, time] = x_shape;
  if (elements(x_shape) == 0) return cudaSuccess;
  if (out_channels == 0) {
    return cudaMemsetAsync(dx, 0, elements(x_shape) * sizeof(float), stream);
  }
  const std::int64_t x_sample = static_cast<std::int64_t>(in_channels) * time;
  const std::int64_t y_sample = static_cast<std::int64_t>(out_channels) * time;
  return multiply(handle,
                  {CUBLAS_OP_N, CUBLAS_OP_T, time, in_channels, out_channels, dy, weight, dx, time,
                   in_channels, time, y_sample, 0, x_sample, batch},
                  0.0F, stream);
}

// One product per sample, added up in order: no workspace, and the same bits every time.
cudaError_t launch_linear_backward_weight(LinearHandle* handle, const float* dy, const float* x,
                                          Shape3 x_shape, int out_channels, float* dweight,
                                          float* dbias, cudaStream_t stream) {
  if (!usable(handle, x_shape, out_channels)) return cudaErrorInvalidValue;
  const auto [batch, in_channels, time] = x_shape;
  const Shape3 y_shape{batch, out_channels, time};
  cudaError_t error = device::launch_channel_sums(dy, y_shape, dbias, stream);
  const std::int64_t weights = static_cast<std::int64_t>(out_channels) * in_channels;
  if (error != cudaSuccess || weights == 0) return error;
  if (per_channel(x_shape) == 0) {
    return cudaMemsetAsync(dweight, 0, weights * sizeof(float), stream);
  }
  const std::int64_t x_sample = static_cast<std::int64_t>(in_channels) * time;
  const std::int64_t y_sample = static_cast<std::int64_t>(out_channels) * time;
  for (std::int64_t b = 0; b < batch && error == cudaSuccess; ++b) {
    error = multiply(handle,
                     {CUBLAS_OP_T, CUBLAS_OP_N, in_channels, out_channels, time, x + b * x_sample,
                      dy + b * y_sample, dweight, time, time, in_channels, 0, 0, 0, 1},
                     b == 0 ? 0.0F : 1.0F, stream);
  }
  return error;
}

}  // namespace gridlock::kernels
