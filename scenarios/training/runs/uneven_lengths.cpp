// Makes the sequences and steps of a run over uneven lengths, and checks its numbers.
#include "scenarios/training/runs/uneven_lengths.h"

#include <array>

#include "scenarios/runtime/label.h"

namespace gridlock::uneven {
namespace {

constexpr std::array kFullLength{1000, 2000, 1500, 1800};  // of ranks 0 to 3, and so on
constexpr ModelShape kShape{.features = 2, .channels = 4, .outputs = 2};
constexpr double kTolerance = 5e-5;

int full_length(int rank) { return kFullLength.at(static_cast<std::size_t>(rank) % 4); }

Batch batch_of(int ranks, int rank, int step) {
  const Dataset data(kShape.features, kShape.outputs,
                     [=](int sample) { return length(sample % ranks, sample / ranks); });
  return data.batch({step * ranks + rank});
}

}  // namespace

int length(int rank, int step) {
  return step < kLongStep ? full_length(rank) / 2 : full_length(rank);
}

bool exceeds(int rank) { return full_length(rank) > kConfigured; }

TrainerOptions options(bool positions_are_buffers) {
  return {.shape = kShape,
          .positions_are_buffers = positions_are_buffers,
          .positions = kConfigured,
          .buckets = {.first = 8, .others = 64}};
}

Batch batch(const Rank& rank, int step) { return batch_of(rank.world_size(), rank.rank(), step); }

int longest_of_all(ProcessGroup& group, int mine) {
  const Label label("encoder/max_length");
  return group.reduce_on_host(mine, ncclMax);
}

void step_with(Trainer& trainer, const Batch& sequences,
               const std::function<void(Positions& positions, int mine)>& grow) {
  trainer.forward(sequences, [&] { grow(trainer.module().positions(), sequences.time); });
  trainer.backward();
  trainer.finish_step();
}

void step_asking_all(Trainer& trainer, const Batch& sequences) {
  step_with(trainer, sequences, [&](Positions& positions, int mine) {
    positions.grow_to(longest_of_all(trainer.world(), mine));
  });
}

void run_asking_all(Rank& rank) {
  Trainer trainer(rank, options());
  for (int step = 0; step < kSteps; ++step) step_asking_all(trainer, batch(rank, step));
  report_over_ranks(rank, "host_wait", "_us", rank.report().median_wait_us());
  finish(trainer);
}

void finish(Trainer& trainer, int steps) {
  const int ranks = trainer.rank().world_size();
  const auto plan = [ranks](int step) {
    ReferenceStep all;
    for (int rank = 0; rank < ranks; ++rank) all.batches.push_back(batch_of(ranks, rank, step));
    return all;
  };
  verify_training(trainer, steps, plan, kTolerance);
  report_over_ranks(trainer.rank(), "bytes_per_rank", "",
                    static_cast<double>(trainer.module().positions().bytes()));
  trainer.close();
}

}  // namespace gridlock::uneven
