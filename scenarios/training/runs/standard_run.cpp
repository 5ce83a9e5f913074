// Makes the batches of an ordinary run, and checks its numbers.
#include "scenarios/training/runs/standard_run.h"

#include <cstddef>

namespace gridlock {
namespace {

constexpr double kTrainingTolerance = 2e-5;  // float32 against float64, a handful of SGD steps

Dataset dataset() {
  return {ModelShape{}.features, ModelShape{}.outputs, [](int sample) { return 24 + sample % 8; }};
}

}  // namespace

Batch standard_batch(int ranks, int rank, int step) {
  const int first = 2 * (step * ranks + rank);
  return batch_of_samples({first, first + 1});
}

Batch batch_of_samples(const std::vector<int>& samples) { return dataset().batch(samples); }

std::vector<int> steps_without(int steps, int left_out) {
  std::vector<int> all;
  for (int step = 0; step < steps; ++step) {
    if (step != left_out) all.push_back(step);
  }
  return all;
}

void verify_run(Trainer& trainer, const std::vector<int>& steps, const BatchOf& batch_of,
                const Adjust& adjust) {
  const int ranks = trainer.rank().world_size();
  verify_training(
      trainer, static_cast<int>(steps.size()),
      [&](int at) {
        const int step = steps[static_cast<std::size_t>(at)];
        ReferenceStep all;
        for (int rank = 0; rank < ranks; ++rank) {
          all.batches.push_back(batch_of(ranks, rank, step));
        }
        if (adjust) adjust(all, step);
        return all;
      },
      kTrainingTolerance);
}

void finish_run(Trainer& trainer, const std::vector<int>& steps, const BatchOf& batch_of,
                const Adjust& adjust) {
  verify_run(trainer, steps, batch_of, adjust);
  trainer.close();
}

void run_healthy(Rank& rank, int steps) {
  Trainer trainer(rank, one_bucket());
  for (int step = 0; step < steps; ++step) trainer.train_on(standard_batch(rank, step));
  finish_run(trainer, steps_without(steps));
}

}  // namespace gridlock
