// An ordinary run: its options, its batches, and the check of its numbers. For scenarios whose
// lesson lies elsewhere.
#pragma once

#include <functional>
#include <vector>

#include "scenarios/training/runs/verify.h"

namespace gridlock {

// One bucket and no buffers: each step makes just one all-reduce, so it is clear which calls pair.
constexpr TrainerOptions one_bucket() {
  return {.broadcast_buffers = false, .buckets = {.first = parameter_total(ModelShape{})}};
}

// Two samples of 24 to 31 frames. A sampler would deal the same ones: two per step and rank.
Batch standard_batch(int ranks, int rank, int step);
inline Batch standard_batch(const Rank& rank, int step) {
  return standard_batch(rank.world_size(), rank.rank(), step);
}
Batch batch_of_samples(const std::vector<int>& samples);  // may be empty

using BatchOf = std::function<Batch(int ranks, int rank, int step)>;
inline Batch deal_standard(int ranks, int rank, int step) {
  return standard_batch(ranks, rank, step);
}

// Steps 0 … steps - 1, without `left_out`.
std::vector<int> steps_without(int steps, int left_out = -1);

// Changes a step of the reference from what `batch_of` says.
using Adjust = std::function<void(ReferenceStep& all, int step)>;

// Compares the parameters with the reference after `steps`. In each step, each rank trained on
// `batch_of`.
//   Collective, Blocks  over the rendezvous
void verify_run(Trainer& trainer, const std::vector<int>& steps,
                const BatchOf& batch_of = deal_standard, const Adjust& adjust = {});

// The same, and closes the trainer.
//   Collective, Blocks
void finish_run(Trainer& trainer, const std::vector<int>& steps,
                const BatchOf& batch_of = deal_standard, const Adjust& adjust = {});

// A loop without a bug: the control of most scenarios.
//   Collective, Blocks
void run_healthy(Rank& rank, int steps);

}  // namespace gridlock
