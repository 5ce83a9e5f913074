// The smallest possible training: each rank pulls the parameters towards its own number, so they
// tend to the mean of the members' numbers. Members may leave on the way.
#pragma once

#include <vector>

#include "scenarios/expectation.h"
#include "scenarios/runtime/buffer.h"
#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/rank.h"

namespace gridlock {

struct TinyTraining {
  //   Collective, Blocks  opens the communicator "world" and connects it
  explicit TinyTraining(Rank& of);

  // A step's gradients lie in two buckets: gradient = mean over the members of (weight - target).
  //   Collective
  //   Blocks  no
  void reduce_bucket(int bucket) const;

  // Applies the step's gradients. Before this call the weights are unchanged.
  //   Blocks  no
  void update() const;

  // Compares with the same training on the host: all ranks take part up to `bad_step`, then only
  // `members`. Reports and returns the result.
  //   Blocks  until the stream is done
  bool verify(int steps, int bad_step) const;

  Rank& rank;
  ncclComm_t communicator;
  std::vector<int> members;  // ranks of the job
  Buffer<float> weights;
  Buffer<float> gradients;
  PinnedBuffer<float> host;
};

// Where ranks wait for the second bucket of a step.
inline Place second_bucket_in(int step) {
  return {"gradients/bucket", Operation::all_reduce, "world", second_in_step(step),
          "reduce_bucket"};
}

}  // namespace gridlock
