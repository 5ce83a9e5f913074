// Averages gradients over ranks while the backward pass is still running, as PyTorch's DDP reducer
// does. Gradients lie in buckets. A bucket's all-reduce is launched on the communication stream
// when its last gradient is ready, and always in bucket order.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/runtime/buffer.h"
#include "scenarios/training/buckets.h"
#include "scenarios/training/process_group.h"

namespace gridlock {

class Reducer {
 public:
  Reducer(ProcessGroup& group, Parameters& parameters, ModelShape shape, BucketLimits limits);

  // Comes before a forward pass whose gradients will be averaged. Before the second one it rebuilds
  // the buckets in the order in which rank 0's gradients arrived. That takes two small broadcasts,
  // and the host reads each. A rank without a backward pass has nothing to rebuild and does not
  // join them.
  //   Collective, Blocks  when buckets are due to be rebuilt
  //   Errors              std::runtime_error when the last reduction was not finished
  void prepare_forward();

  // Gradients are divided by this: the number of ranks, or with Join of those still active.
  void set_divisor(int divisor) { divisor_ = divisor; }
  // no_sync: gradients are kept and added up instead.
  void set_sync(bool sync) { sync_ = sync; }
  bool sync() const { return sync_; }

  // The hook of a parameter: its gradient has been enqueued on the compute stream.
  //   Collective  for the bucket that it completes
  //   Blocks      no
  void ready(int parameter);

  // After a backward pass: the compute stream waits for the last bucket, then the averages are put
  // in the gradients' place.
  //   Blocks  no
  void finish();

  // Stands in for a backward pass on a rank without batches: the same all-reduces, of zeros.
  //   Collective
  //   Blocks  no
  void shadow();

  // gradient_as_bucket_view: gradients live in the buckets, and have no memory of their own. Before
  // the first backward pass; not with no_sync.
  void use_views();

  // Of gradients and buckets together.
  std::size_t gradient_bytes() const;

  int bucket_count() const { return static_cast<int>(buckets_.size()); }
  int launched() const { return static_cast<int>(launched_); }  // buckets of this pass on the wire

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
  std::size_t launched_ = 0;  // buckets of this pass that are on the wire
  bool reducing_ = false;     // a pass has begun and is not finished
  bool rebuilt_ = false;
  std::vector<int> arrival_;  // parameters in the order of the first backward pass
  bool kept_any_ = false;
  Buffer<float> kept_;  // sums of no_sync passes, [total]
};

}  // namespace gridlock
