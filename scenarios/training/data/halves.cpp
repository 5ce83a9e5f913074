// Takes each step's batch as two micro-batches.
#include "scenarios/training/data/halves.h"

namespace gridlock {
namespace {

Batch half_of(int ranks, int rank, int step, int part) {
  return batch_of_samples({2 * (step * ranks + rank) + part});
}

}  // namespace

Batch half_batch(const Rank& rank, int step, int part) {
  return half_of(rank.world_size(), rank.rank(), step, part);
}

void in_halves(Trainer& trainer, const std::function<void(int part)>& half) {
  const int ranks = trainer.rank().world_size();
  trainer.reducer().set_divisor(2 * ranks);
  for (int part = 0; part < 2; ++part) {
    trainer.reducer().set_sync(part == 1);
    half(part);
  }
  trainer.reducer().set_divisor(ranks);
}

void finish_with_halves(Trainer& trainer, int steps,
                        const std::function<bool(int rank, int step)>& halved) {
  const int ranks = trainer.rank().world_size();
  const auto plan = [&](int step) {
    ReferenceStep all;
    all.divisor = ranks;
    for (int rank = 0; rank < ranks; ++rank) {
      if (!halved(rank, step)) {
        all.batches.push_back(standard_batch(ranks, rank, step));
        all.weights.push_back(1);
        continue;
      }
      for (int part = 0; part < 2; ++part) {
        all.batches.push_back(half_of(ranks, rank, step, part));
        all.weights.push_back(0.5);
      }
    }
    return all;
  };
  verify_training(trainer, steps, plan, 2e-5);
  trainer.close();
}

}  // namespace gridlock
