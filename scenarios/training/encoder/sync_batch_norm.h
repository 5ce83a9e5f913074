// Batch normalization over the union of all ranks' batches, or over each rank's own.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/shape.h"
#include "scenarios/runtime/buffer.h"
#include "scenarios/training/ddp/process_group.h"

namespace gridlock {

// What a synchronized layer does with a batch of size 0.
enum class EmptyBatch {
  participates,  // takes part with count 0, as PyTorch does
  skips_layer,   // returns early: a rank-local decision to skip a collective
};

class SyncBatchNorm {
 public:
  // `group` is null for a local layer.
  SyncBatchNorm(Rank& rank, ProcessGroup* group, int channels, EmptyBatch empty);

  // y = normalized x. In training mode a synchronized layer all-gathers each rank's mean, inverse
  // standard deviation and count, and the host reads the total count.
  //   x, y                [batch][channels][time] float32, device memory
  //   gamma, beta         [channels]
  //   Collective, Blocks  if synchronized and training; otherwise neither
  void forward(const float* x, kernels::Shape3 shape, const float* gamma, const float* beta,
               float* y, bool training);

  // dx, dgamma and dbeta of the last forward. If synchronized and training, it makes one all-reduce
  // of two sums per channel.
  //   Collective  if synchronized and training
  //   Blocks      no
  void backward(const float* dy, const float* x, kernels::Shape3 shape, const float* gamma,
                float* dgamma, float* dbeta, float* dx);

  float* running_mean() const { return running_mean_.data(); }  // [channels]
  float* running_var() const { return running_var_.data(); }    // [channels]

 private:
  bool synchronized() const { return group_ != nullptr && group_->size() > 1; }
  void gather_records();
  void reduce_sums();

  Rank& rank_;
  ProcessGroup* group_;
  int channels_;
  EmptyBatch empty_;
  bool trained_ = false;  // whether the last forward was in training mode
  bool skipped_ = false;  // whether the last forward skipped the layer
  Buffer<float> mean_, var_, inverse_std_, record_, records_, total_count_, sums_;
  Buffer<float> running_mean_, running_var_;
  PinnedBuffer<float> host_count_;
};

}  // namespace gridlock
