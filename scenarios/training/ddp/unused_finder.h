// DDP's find_unused_parameters: parameters that the loss does not reach are ready at once, with
// gradients of zero. One more all-reduce tells which parameters no rank has used.
#pragma once

#include <cstdint>

#include "scenarios/training/ddp/trainer.h"

namespace gridlock {

class UnusedFinder {
 public:
  explicit UnusedFinder(Trainer& trainer);

  // The trainer's backward pass.
  //   Collective
  //   Blocks  no
  void backward();

 private:
  void reduce_used_map();

  Trainer& trainer_;
  Buffer<std::int32_t> used_;
  PinnedBuffer<std::int32_t> host_;
};

}  // namespace gridlock
