// The training step of one rank: DDP around the encoder, and plain SGD.
#pragma once

#include <functional>
#include <vector>

#include "scenarios/training/data/dataset.h"
#include "scenarios/training/ddp/process_group.h"
#include "scenarios/training/ddp/reducer.h"
#include "scenarios/training/encoder/model.h"

namespace gridlock {

enum class Norm { local, synchronized };

struct TrainerOptions {
  ModelShape shape = {};
  Norm norm = Norm::local;
  EmptyBatch empty_batch = EmptyBatch::participates;
  bool broadcast_buffers = true;       // from rank 0 before each forward, as DDP does
  bool positions_are_buffers = false;  // whether the positional buffer is one of them
  int positions = 64;                  // its first length
  BucketLimits buckets = {};
  bool gradient_as_bucket_view = false;
  bool join = false;  // active ranks announce their steps to those that are done
  float learning_rate = 0.05F;
};

class Trainer {
 public:
  // Opens the communicator "world"; all-gathers and compares the parameters' sizes; broadcasts
  // parameters and buffers from rank 0.
  //   Collective, Blocks
  //   Errors  std::runtime_error if the ranks' models differ
  Trainer(Rank& rank, const TrainerOptions& options);
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;

  // Does what DDP does before a forward (rebuilds buckets, broadcasts buffers), then runs the
  // forward. `before_model` runs between the two: it stands for what the module does first in its
  // forward.
  //   Collective
  //   Blocks  with synchronized normalization, with join, and once for rebuilding buckets
  void forward(const Batch& batch, const std::function<void()>& before_model = nullptr);
  //   Collective
  //   Blocks  no
  void backward();
  //   Blocks  no
  void step();
  // The host reads the loss. Usually this is the first place where a rank notices anything.
  //   Blocks  until all work of the step is done
  float loss_item();
  // Ends a step after its backward pass: calls step and loss_item, and counts the step in the
  // report.
  //   Returns the loss
  //   Blocks  until all work of the step is done
  float finish_step();
  // A whole step, timed.
  //   Collective, Blocks
  float train_on(const Batch& batch);

  // Shadows the active ranks' calls until they are done as well. Then takes the last one's model.
  // Needs `join`.
  //   Collective, Blocks
  void join();

  // The unwrapped model, without DDP: its forward broadcasts no buffers.
  Model& module() { return model_; }
  ProcessGroup& world() { return world_; }
  Reducer& reducer() { return reducer_; }
  const TrainerOptions& options() const { return options_; }
  Rank& rank() { return world_.rank(); }

  //   Collective, Blocks
  void close();

 private:
  struct View {
    float* data;
    std::size_t size;
  };
  std::vector<View> buffers();
  void verify_shapes();
  void broadcast_parameters(int root);
  void broadcast_buffers(int root);
  int announce();

  TrainerOptions options_;
  Model model_;  // before world_: loading kernels takes time, and no rank should wait for it
  ProcessGroup world_;
  Reducer reducer_;
  PinnedBuffer<float> host_loss_;
};

}  // namespace gridlock
