// Going on without ranks that are lost.
#pragma once

#include <chrono>
#include <vector>

#include "scenarios/training/runs/tiny_training.h"

namespace gridlock {

// Whom a rank asks whether a member is lost. Each rank holds a socket to rank 0, which closes when
// that process ends; rank 0 tells the others.
enum class Asks { nccl, nccl_and_peers };

// Waits for the stream, and asks meanwhile, peers also at the end. So no member may end before the
// others have come as far.
//   Returns  false if a member is lost, or after `limit`
//   Source   NCCL 2.28.9, src/device/prims_simple.h, genericOp: a kernel that is aborted posts the
//            steps that are left, without data, and the peers' kernels end on these
//   Errors   CudaError of this rank's own device
//   Blocks   until then
bool is_done(const TinyTraining& training, Asks asks,
             std::chrono::milliseconds limit = std::chrono::hours(1));

// Shrinks the communicator to the members in `left`. The shrink ends the interrupted step.
//   Collective, Blocks  of `left`
void shrink_to(TinyTraining& training, const std::vector<int>& left);

// Aborts the communicator, and makes one of the members in `left`.
//   Collective, Blocks  of `left`
void rebuild_with(TinyTraining& training, const std::vector<int>& left);

// Both buckets of a step.
//   Collective
//   Blocks  no
void reduce_both(const TinyTraining& training);

enum class Smaller { by_shrink, by_rebuilding };

// Goes on with the members in `left`: makes a communicator of them, and the reductions of the
// interrupted step again. Reports how long both took ("recovery_ms").
//   Collective, Blocks  of `left`
void repeat_step_with(TinyTraining& training, const std::vector<int>& left,
                      Smaller how = Smaller::by_rebuilding);

// Trains. If a member's process ends, the others go on without it and repeat the interrupted step.
// Reports how many are left, and whether the numbers are right if the members changed in
// `bad_step`.
//   Collective, Blocks
void train_with_survivors(Rank& rank, int steps, int bad_step);

}  // namespace gridlock
