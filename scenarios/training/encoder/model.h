// A small speech encoder: convolutional subsampling over time, positions, a linear layer, batch
// normalization, and a head whose pooled output is compared with a target.
#pragma once

#include <functional>
#include <vector>

#include "kernels/layers/linear.h"
#include "kernels/shape.h"
#include "scenarios/training/data/dataset.h"
#include "scenarios/training/data/upload.h"
#include "scenarios/training/encoder/parameters.h"
#include "scenarios/training/encoder/positions.h"
#include "scenarios/training/encoder/sync_batch_norm.h"

namespace gridlock {

class Model {
 public:
  //   Blocks  may wait for the device (the linear layer's library state)
  Model(Rank& rank, ModelShape shape, SyncBatchNorm norm, int positions);

  // Enqueues the forward pass, loss included. The positional buffer must be long enough.
  //   Collective, Blocks  if the normalization is collective or blocks
  //   Errors              std::logic_error if the positional buffer is too short
  void forward(const Batch& batch);

  // Enqueues the backward pass of the last forward. `ready(parameter)` is called as soon as the
  // kernel that writes that gradient is enqueued: last layer first.
  void backward(const std::function<void(int)>& ready);

  // While on, the gradient stops below the normalization layer (torch's detach). The loss does not
  // reach the layers under it.
  void detach(bool mode) { detached_ = mode; }
  std::vector<int> unreached() const;  // parameters without a gradient

  void train(bool mode) { training_ = mode; }
  bool training() const { return training_; }
  Parameters& parameters() { return parameters_; }
  Positions& positions() { return positions_; }
  SyncBatchNorm& norm() { return norm_; }
  const float* loss() const { return loss_.data(); }  // [1], device memory

 private:
  void shape_activations(const Batch& batch);

  Rank& rank_;
  ModelShape shape_;
  Parameters parameters_;
  Positions positions_;
  SyncBatchNorm norm_;
  // Kept until the process ends, because destroying it waits for the device.
  kernels::LinearHandle* linear_ = nullptr;
  bool training_ = true;
  bool detached_ = false;
  Upload upload_;
  kernels::Shape3 input_{}, half_{}, quarter_{},
      output_{};  // after no, one, two convolutions; head
  Buffer<float> conv1_, conv2_, placed_, mixed_, normed_, head_, pooled_, loss_;
  Buffer<float> d_output_, d_wide_a_, d_wide_b_;
};

}  // namespace gridlock
