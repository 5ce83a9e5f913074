// Batch normalization on a simulated stream.
#include "kernels/layers/batch_norm.h"

#include <gridlock_sim/launch.h>

namespace gridlock::kernels {

cudaError_t launch_batch_norm_statistics(const float* x, Shape3 shape, float* mean, float* var,
                                         cudaStream_t stream) {
  if (!valid(shape)) return cudaErrorInvalidValue;
  return sim::launch(stream, [=] { cpu::batch_norm_statistics(x, shape, mean, var); });
}

cudaError_t launch_batch_norm_inverse_std(const float* var, int channels, float epsilon,
                                          float* inverse_std, cudaStream_t stream) {
  if (channels < 0) return cudaErrorInvalidValue;
  return sim::launch(stream,
                     [=] { cpu::batch_norm_inverse_std(var, channels, epsilon, inverse_std); });
}

cudaError_t launch_batch_norm_record(const float* mean, const float* var, Shape3 shape,
                                     float epsilon, float* record, cudaStream_t stream) {
  if (!valid(shape)) return cudaErrorInvalidValue;
  return sim::launch(stream, [=] { cpu::batch_norm_record(mean, var, shape, epsilon, record); });
}

cudaError_t launch_batch_norm_combine(const float* records, int world_size, int channels,
                                      float epsilon, float* mean, float* inverse_std,
                                      float* total_count, cudaStream_t stream) {
  if (world_size < 0 || channels < 0) return cudaErrorInvalidValue;
  return sim::launch(stream, [=] {
    cpu::batch_norm_combine(records, world_size, channels, epsilon, mean, inverse_std, total_count);
  });
}

cudaError_t launch_batch_norm_update_running(const float* mean, const float* inverse_std,
                                             const float* total_count, int channels, float epsilon,
                                             float momentum, float* running_mean,
                                             float* running_var, cudaStream_t stream) {
  if (channels < 0) return cudaErrorInvalidValue;
  return sim::launch(stream, [=] {
    cpu::batch_norm_update_running(mean, inverse_std, total_count, channels, epsilon, momentum,
                                   running_mean, running_var);
  });
}

cudaError_t launch_batch_norm_forward(const float* x, Shape3 shape, const float* mean,
                                      const float* inverse_std, const float* gamma,
                                      const float* beta, float* y, cudaStream_t stream) {
  if (!valid(shape)) return cudaErrorInvalidValue;
  return sim::launch(stream,
                     [=] { cpu::batch_norm_forward(x, shape, mean, inverse_std, gamma, beta, y); });
}

cudaError_t launch_batch_norm_backward_reduce(const float* dy, const float* x, Shape3 shape,
                                              const float* mean, const float* inverse_std,
                                              float* sums, float* dgamma, float* dbeta,
                                              cudaStream_t stream) {
  if (!valid(shape)) return cudaErrorInvalidValue;
  return sim::launch(stream, [=] {
    cpu::batch_norm_backward_reduce(dy, x, shape, mean, inverse_std, sums, dgamma, dbeta);
  });
}

cudaError_t launch_batch_norm_backward(const float* dy, const float* x, Shape3 shape,
                                       const float* mean, const float* inverse_std,
                                       const float* gamma, const float* sums,
                                       const float* total_count, float* dx, cudaStream_t stream) {
  if (!valid(shape)) return cudaErrorInvalidValue;
  return sim::launch(stream, [=] {
    cpu::batch_norm_backward(dy, x, shape, mean, inverse_std, gamma, sums, total_count, dx);
  });
}

}  // namespace gridlock::kernels
