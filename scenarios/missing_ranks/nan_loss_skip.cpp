// One rank's loss is NaN, and it skips the step. The others wait in the gradient all-reduce.
//
// Lesson    Either all ranks call a collective, or none does. A branch on rank-local data must not
//           decide whether a rank takes part. The NaN itself hangs nothing: without the branch it
//           goes through the all-reduce and poisons every rank's parameters.
// Watch     If DDP broadcasts buffers, the rank's next broadcast meets the others' gradients at
//           once. If it does not, nothing stops at the bug: the rank's next all-reduce pairs with
//           the others' current one and mixes the gradients of two steps. The job hangs at the end,
//           when the rank that skipped has no call left.
// Cure      Make the answer global before you branch on it: one flag all-reduce per step. Or clean
//           the input (nan_to_num), if the remaining numbers make sense. A warning alone keeps the
//           collectives safe, but not the model.
// In PyTorch
//     if torch.isnan(loss): continue                               # bug: this rank alone
//     bad = torch.isnan(loss).float()
//     dist.all_reduce(bad, op=dist.ReduceOp.MAX)                   # cure: all skip, or none
//     if bad.item(): continue
// Seen in   Lightning#5243, Lightning#4956, OpenBMB/BMTrain#108

#include <cmath>
#include <cstdio>
#include <limits>

#include "scenarios/scenario.h"
#include "scenarios/training/ddp/any_rank.h"
#include "scenarios/training/runs/places.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kBadStep = 3;

// One batch of the last rank holds a damaged recording.
Batch damaged(int ranks, int rank, int step) {
  Batch batch = standard_batch(ranks, rank, step);
  if (rank == ranks - 1 && step == kBadStep) {
    batch.x[0] = std::numeric_limits<float>::quiet_NaN();
  }
  return batch;
}

Batch cleaned(int ranks, int rank, int step) {
  Batch batch = damaged(ranks, rank, step);
  for (float& value : batch.x) value = std::isnan(value) ? 0.0F : value;
  return batch;
}

void healthy(Rank& rank) { run_healthy(rank, kSteps); }

// Each step looks at the loss before the backward pass. `skips` is told whether this rank's loss is
// NaN, and says whether the rank leaves the step.
template <typename Skips>
void train(Trainer& trainer, Skips skips) {
  const Rank& rank = trainer.rank();
  for (int step = 0; step < kSteps; ++step) {
    trainer.forward(damaged(rank.world_size(), rank.rank(), step));
    if (skips(std::isnan(trainer.loss_item()))) continue;
    trainer.backward();
    trainer.finish_step();
  }
}

bool alone(bool mine) { return mine; }  // BUG: only the rank with the NaN leaves the step

void skip_alone(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  train(trainer, alone);
}

void skip_alone_with_buffers(Rank& rank) {
  Trainer trainer(rank, TrainerOptions{});
  train(trainer, alone);
}

void warn_only(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  train(trainer, [](bool mine) {
    if (mine) std::puts("warning: the loss is NaN");
    return false;
  });
  finish_run(trainer, steps_without(kSteps, kBadStep));
}

void nan_to_num(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  for (int step = 0; step < kSteps; ++step) {
    trainer.train_on(cleaned(rank.world_size(), rank.rank(), step));  // FIX: no NaN gets in
  }
  finish_run(trainer, steps_without(kSteps), cleaned);
}

void skip_together(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  // FIX: all leave the step, or none
  train(trainer, [&](bool mine) { return any_rank(trainer.world(), mine); });
  rank.report().figure("samples_lost", 2 * rank.world_size());
  finish_run(trainer, steps_without(kSteps, kBadStep));
}

Expectation others_wait_at_the_end(int ranks) {
  return one_has_left_at_once(ranks, ranks - 1, TrainingRun{}.gradients(kSteps - 1));
}

Expectation broadcast_meets_gradients(int ranks) {
  const TrainingRun with_buffers{TrainerOptions{}};
  return calls_differ(ranks, ranks - 1, buffers(), with_buffers.gradients(kBadStep));
}

constexpr Variant kVariants[] = {
    {"healthy", control, "the same loop without a NaN", healthy},
    {"skip_alone", broken, "the last rank skips a step, so its last all-reduce never comes",
     skip_alone, others_wait_at_the_end},
    {"skip_alone_with_buffers", broken,
     "it skips a step where DDP broadcasts buffers before each forward", skip_alone_with_buffers,
     broadcast_meets_gradients},
    {"warn_only", remedy, "a warning and no skip: no hang, but NaN in every rank's parameters",
     warn_only, [](int) { return corrupts(); }},
    {"nan_to_num", fix, "the input is cleaned of NaN", nan_to_num},
    {"skip_together", fix, "a flag all-reduce in each step: all skip, or none", skip_together},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "one rank skips a step because its loss is NaN",
    .claims = {"B1", "B2", "C7"},
    .variants = kVariants,
};
