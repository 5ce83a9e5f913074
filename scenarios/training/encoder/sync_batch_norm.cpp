// Makes SyncBatchNorm's two collectives, and launches the kernels around them.
#include "scenarios/training/encoder/sync_batch_norm.h"

#include "kernels/layers/batch_norm.h"
#include "kernels/updates/gradients.h"
#include "scenarios/runtime/label.h"

namespace gridlock {
namespace {

constexpr float kEpsilon = 1e-5F;
constexpr float kMomentum = 0.1F;

std::size_t size(int count) { return static_cast<std::size_t>(count); }

}  // namespace

SyncBatchNorm::SyncBatchNorm(Rank& rank, ProcessGroup* group, int channels, EmptyBatch empty)
    : rank_(rank),
      group_(group),
      channels_(channels),
      empty_(empty),
      mean_(size(channels), rank.stream()),
      var_(size(channels), rank.stream()),
      inverse_std_(size(channels), rank.stream()),
      record_(size(kernels::batch_norm_record_size(channels)), rank.stream()),
      records_(size(kernels::batch_norm_record_size(channels) * rank.world_size()), rank.stream()),
      total_count_(1, rank.stream()),
      sums_(size(2 * channels), rank.stream()),
      running_mean_(size(channels), rank.stream()),
      running_var_(size(channels), rank.stream()),
      host_count_(1) {
  check(kernels::launch_fill(running_var_.data(), channels, 1.0F, rank.stream()));
}

[[gnu::noinline]] void SyncBatchNorm::gather_records() {
  const Label label("sync_batch_norm/forward");
  group_->after_compute();
  check(ncclAllGather(record_.data(), records_.data(), record_.size(), ncclFloat32,
                      group_->communicator(), group_->stream()));
  group_->compute_waits();
  // PyTorch's layer reads the counts on the host. If another rank does not come, this rank waits in
  // that read.
  check(cudaMemcpyAsync(host_count_.data(), records_.data() + record_.size() - 1, sizeof(float),
                        cudaMemcpyDeviceToHost, rank_.stream()));
  rank_.wait_for(rank_.stream());
}

void SyncBatchNorm::forward(const float* x, kernels::Shape3 shape, const float* gamma,
                            const float* beta, float* y, bool training) {
  const cudaStream_t stream = rank_.stream();
  trained_ = training;
  skipped_ = shape.batch == 0 && empty_ == EmptyBatch::skips_layer;
  if (skipped_) return;
  if (!training) {
    check(kernels::launch_batch_norm_inverse_std(running_var_.data(), channels_, kEpsilon,
                                                 inverse_std_.data(), stream));
    check(kernels::launch_batch_norm_forward(x, shape, running_mean_.data(), inverse_std_.data(),
                                             gamma, beta, y, stream));
    return;
  }
  check(kernels::launch_batch_norm_statistics(x, shape, mean_.data(), var_.data(), stream));
  check(kernels::launch_batch_norm_record(mean_.data(), var_.data(), shape, kEpsilon,
                                          record_.data(), stream));
  if (synchronized()) gather_records();
  const float* records = synchronized() ? records_.data() : record_.data();
  const int ranks = synchronized() ? group_->size() : 1;
  check(kernels::launch_batch_norm_combine(records, ranks, channels_, kEpsilon, mean_.data(),
                                           inverse_std_.data(), total_count_.data(), stream));
  check(kernels::launch_batch_norm_update_running(
      mean_.data(), inverse_std_.data(), total_count_.data(), channels_, kEpsilon, kMomentum,
      running_mean_.data(), running_var_.data(), stream));
  check(kernels::launch_batch_norm_forward(x, shape, mean_.data(), inverse_std_.data(), gamma, beta,
                                           y, stream));
}

[[gnu::noinline]] void SyncBatchNorm::reduce_sums() {
  const Label label("sync_batch_norm/backward");
  group_->after_compute();
  check(ncclAllReduce(sums_.data(), sums_.data(), sums_.size(), ncclFloat32, ncclSum,
                      group_->communicator(), group_->stream()));
  group_->compute_waits();
}

void SyncBatchNorm::backward(const float* dy, const float* x, kernels::Shape3 shape,
                             const float* gamma, float* dgamma, float* dbeta, float* dx) {
  const cudaStream_t stream = rank_.stream();
  const float* mean = trained_ ? mean_.data() : running_mean_.data();
  check(kernels::launch_batch_norm_backward_reduce(dy, x, shape, mean, inverse_std_.data(),
                                                   sums_.data(), dgamma, dbeta, stream));
  if (trained_ && !skipped_ && synchronized()) reduce_sums();
  if (!trained_) {  // then the statistics are constants, and no gradient goes through them
    check(
        kernels::launch_fill(sums_.data(), static_cast<std::int64_t>(sums_.size()), 0.0F, stream));
    check(kernels::launch_fill(total_count_.data(), 1, 1.0F, stream));
  }
  if (shape.batch == 0) return;
  check(kernels::launch_batch_norm_backward(dy, x, shape, mean, inverse_std_.data(), gamma,
                                            sums_.data(), total_count_.data(), dx, stream));
}

}  // namespace gridlock
