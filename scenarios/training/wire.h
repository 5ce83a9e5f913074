// How many collectives a Trainer makes on "world", so that an expectation can say at which slot the
// ranks wait. Slot n is the n-th collective called on a communicator, from 0.
#pragma once

#include "scenarios/training/trainer.h"

namespace gridlock {

struct Wire {
  TrainerOptions options;
  int extra_per_step = 0;  // collectives that the scenario itself makes on "world" in each step

  int buffers() const { return options.broadcast_buffers ? 1 : 0; }
  int norm() const { return options.norm == Norm::synchronized ? 1 : 0; }
  int rebuild(int step) const { return step == 1 ? 2 : 0; }
  int buckets(int step) const {
    return step == 0 ? 1 : bucket_count(options.shape, options.buckets);
  }

  int construction() const { return 2 + buffers(); }  // shapes, parameters, buffers
  // The first slot of a step.
  int begin(int step) const {
    int slot = construction();
    for (int before = 0; before < step; ++before) {
      slot += rebuild(before) + buffers() + 2 * norm() + buckets(before) + extra_per_step;
    }
    return slot;
  }
  // The first slot of the forward pass itself.
  int forward(int step) const { return begin(step) + rebuild(step) + buffers(); }
  // The first slot of the backward pass, when the scenario's own calls come before it.
  int backward(int step) const { return forward(step) + norm() + extra_per_step; }
};

}  // namespace gridlock
