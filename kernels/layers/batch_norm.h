// Batch normalization in the steps of SyncBatchNorm. The caller makes the collectives between them.
//
//   forward    statistics -> record -> (all-gather of records) -> combine -> forward
//   backward   backward_reduce -> (all-reduce of `sums`) -> backward
//   one rank   statistics -> inverse_std -> forward;  backward with total_count = batch * time
//   eval mode  inverse_std of the running variance -> forward
//
//   x, y, dy, dx  [batch][channels][time] float32, contiguous, device memory, as all below
//   the rest      [channels] unless said otherwise
//   Errors        cudaErrorInvalidValue for a negative extent; what the launch reported
//   Blocks        no (enqueued on `stream`)
//   Source        Ioffe and Szegedy 2015; merging: Chan, Golub, LeVeque 1983, pairwise; error
//                 bounds in docs/kernels.md. A non-finite input gives non-finite statistics,
//                 though not always the same kind of non-finite.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/shape.h"

namespace gridlock::kernels {

// Mean and biased variance over batch and time. Empty batch: mean 0, variance 0.
cudaError_t launch_batch_norm_statistics(const float* x, Shape3 shape, float* mean, float* var,
                                         cudaStream_t stream);

// inverse_std = 1 / sqrt(var + epsilon).
cudaError_t launch_batch_norm_inverse_std(const float* var, int channels, float epsilon,
                                          float* inverse_std, cudaStream_t stream);

// How many floats each rank contributes to the all-gather: mean, inverse_std, count.
constexpr int batch_norm_record_size(int channels) { return 2 * channels + 1; }

// record = [mean(channels), inverse_std(channels), count(1)]; count = batch * time, exact up to
// 2^24.
cudaError_t launch_batch_norm_record(const float* mean, const float* var, Shape3 shape,
                                     float epsilon, float* record, cudaStream_t stream);

// Computes the statistics of all ranks' data from their records. A rank with count 0 is ignored,
// whatever its other values are. If all are empty: mean 0, inverse_std 1 / sqrt(epsilon),
// total_count 0.
//   records      [world_size][2 * channels + 1], in rank order
//   total_count  [1]
cudaError_t launch_batch_norm_combine(const float* records, int world_size, int channels,
                                      float epsilon, float* mean, float* inverse_std,
                                      float* total_count, cudaStream_t stream);

// running_x += momentum * (x - running_x), with the unbiased variance, as PyTorch does. If
// total_count[0] is 0, nothing changes. If it is 1, the biased variance (0) is used.
cudaError_t launch_batch_norm_update_running(const float* mean, const float* inverse_std,
                                             const float* total_count, int channels, float epsilon,
                                             float momentum, float* running_mean,
                                             float* running_var, cudaStream_t stream);

// y = gamma (x - mean) inverse_std + beta. y may be x.
cudaError_t launch_batch_norm_forward(const float* x, Shape3 shape, const float* mean,
                                      const float* inverse_std, const float* gamma,
                                      const float* beta, float* y, cudaStream_t stream);

// This rank's part of the sums that `backward` needs, and its parameter gradients. All outputs are
// overwritten; an empty batch gives zeros.
//   sums    [2][channels]: sum of dy, then sum of dy (x - mean); all-reduce both in one call
//   dgamma  sum of dy (x - mean) inverse_std
//   dbeta   sum of dy
cudaError_t launch_batch_norm_backward_reduce(const float* dy, const float* x, Shape3 shape,
                                              const float* mean, const float* inverse_std,
                                              float* sums, float* dgamma, float* dbeta,
                                              cudaStream_t stream);

// dx = gamma inverse_std (dy - sums[0] / n - (x - mean) inverse_std^2 sums[1] / n), n =
// total_count[0]. `sums` are those of all ranks. dx may be dy.
cudaError_t launch_batch_norm_backward(const float* dy, const float* x, Shape3 shape,
                                       const float* mean, const float* inverse_std,
                                       const float* gamma, const float* sums,
                                       const float* total_count, float* dx, cudaStream_t stream);

namespace cpu {
void batch_norm_statistics(const float* x, Shape3 shape, float* mean, float* var);
void batch_norm_inverse_std(const float* var, int channels, float epsilon, float* inverse_std);
void batch_norm_record(const float* mean, const float* var, Shape3 shape, float epsilon,
                       float* record);
void batch_norm_combine(const float* records, int world_size, int channels, float epsilon,
                        float* mean, float* inverse_std, float* total_count);
void batch_norm_update_running(const float* mean, const float* inverse_std,
                               const float* total_count, int channels, float epsilon,
                               float momentum, float* running_mean, float* running_var);
void batch_norm_forward(const float* x, Shape3 shape, const float* mean, const float* inverse_std,
                        const float* gamma, const float* beta, float* y);
void batch_norm_backward_reduce(const float* dy, const float* x, Shape3 shape, const float* mean,
                                const float* inverse_std, float* sums, float* dgamma, float* dbeta);
void batch_norm_backward(const float* dy, const float* x, Shape3 shape, const float* mean,
                         const float* inverse_std, const float* gamma, const float* sums,
                         const float* total_count, float* dx);
}  // namespace cpu
}  // namespace gridlock::kernels
