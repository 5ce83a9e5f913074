// Averages gradients over ranks while the backward pass is still running, as PyTorch's DDP reducer
// does. Gradients lie in buckets. It launches a bucket's all-reduce on the communication stream
// when the bucket's last gradient is ready, and always in bucket order.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/runtime/buffer.h"
#include "scenarios/training/ddp/buckets.h"
#include "scenarios/training/ddp/process_group.h"

namespace gridlock {

class Reducer {
 public:
  Reducer(ProcessGroup& group, Parameters& parameters, ModelShape shape, BucketLimits limits);

  // Call it before a forward pass whose gradients will be averaged. Before the second such pass it
  // rebuilds the buckets in the order in which rank 0's gradients arrived. That takes two small
  // broadcasts, and the host reads each. A rank without a backward pass has nothing to rebuild and
  // does not join them.
  //   Collective, Blocks  if buckets are due to be rebuilt
  //   Errors              std::runtime_error if the last reduction was not finished
  void prepare_forward();

  // What gradients are divided by: the number of ranks, or with Join the number of active ranks.
  void set_divisor(int divisor) { divisor_ = divisor; }
  // With `sync` off (no_sync), the gradients are only accumulated.
  void set_sync(bool sync) { sync_ = sync; }
  bool sync() const { return sync_; }

  // A parameter's hook: the kernel that writes its gradient is enqueued on the compute stream.
  //   Collective  for the bucket that it completes
  //   Blocks      no
  void ready(int parameter);

  // Call it after a backward pass. The compute stream waits for the last bucket, then the averages
  // replace the gradients.
  //   Blocks  no
  void finish();

  // Replaces a backward pass on a rank without batches: makes the same all-reduces, with zeros.
  //   Collective
  //   Blocks  no
  void shadow();

  // gradient_as_bucket_view: gradients are stored only in the buckets. Call it before the first
  // backward pass, and not with no_sync.
  void use_views();

  // Size of gradients and buckets together.
  std::size_t gradient_bytes() const;

  int bucket_count() const { return static_cast<int>(buckets_.size()); }
  int launched() const { return static_cast<int>(launched_); }  // buckets of this pass

 private:
  struct Bucket {
    std::vector<int> parameters;
    std::vector<int> offsets;
    Buffer<float> values;
    std::size_t missing = 0;  // gradients not ready yet
  };

  void make_buckets(const Buckets& assignment);
  void rebuild_buckets();
  void launch_bucket(std::size_t index);
  void keep(int parameter);  // no_sync
  void put_views();

  ProcessGroup& group_;
  Parameters& parameters_;
  ModelShape shape_;
  BucketLimits limits_;
  int divisor_;
  bool sync_ = true;
  bool views_ = false;
  std::vector<Bucket> buckets_;
  std::size_t launched_ = 0;  // buckets of this pass that have been launched
  bool reducing_ = false;     // a pass has begun and is not finished
  bool rebuilt_ = false;
  std::vector<int> arrival_;  // parameters in the first backward pass's order
  bool kept_any_ = false;
  Buffer<float> kept_;  // sums of no_sync passes, [total]
};

}  // namespace gridlock
