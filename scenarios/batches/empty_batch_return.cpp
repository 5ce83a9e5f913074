// One rank's batch is empty after filtering, and its training step returns early.
//
// Lesson    "Nothing to do here" is an answer that only one rank has. `return None` takes only that
//           rank out of the step, and the step is a collective. This well-meant guard is one of the
//           most common causes of a hang.
// Watch     A return before the forward leaves no trace where it happens: the rank's later calls
//           pair with the others' earlier ones, and the rank is missing only at the end. If it
//           returns after the forward, DDP's next broadcast of buffers meets the others' gradients
//           at once.
// Cure      Run the step on the empty batch: its loss is zero, and so are its gradients. Or ask all
//           ranks, and skip together.
// In PyTorch
//     def training_step(self, batch, index):                       # Lightning
//         if len(batch) == 0: return None                          # bug: no backward on this rank
//         if len(batch) == 0: return 0 * self(batch).sum()         # cure: gradients of zero
//     dist.all_reduce(empty, op=dist.ReduceOp.MAX)                 # or: ask, and
//     if empty.item(): continue                                    #     all skip
// Seen in   Lightning#5243 and #5577 (None from training_step), lyuwenyu/RT-DETR#672, pytorch#73645

#include "scenarios/scenario.h"
#include "scenarios/training/ddp/any_rank.h"
#include "scenarios/training/runs/places.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kEmptyStep = 3;

// The batch after filtering. In one step, the filter leaves the last rank nothing.
Batch filtered(int ranks, int rank, int step) {
  if (rank == ranks - 1 && step == kEmptyStep) return batch_of_samples({});
  return standard_batch(ranks, rank, step);
}
Batch filtered(const Rank& rank, int step) {
  return filtered(rank.world_size(), rank.rank(), step);
}

void healthy(Rank& rank) { run_healthy(rank, kSteps); }

void return_before_forward(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  for (int step = 0; step < kSteps; ++step) {
    const Batch batch = filtered(rank, step);
    if (batch.size == 0) continue;  // BUG: nothing to do here, but the others are in the step
    trainer.train_on(batch);
  }
}

void return_after_forward(Rank& rank) {
  Trainer trainer(rank, {});
  for (int step = 0; step < kSteps; ++step) {
    const Batch batch = filtered(rank, step);
    trainer.forward(batch);
    if (batch.size == 0) continue;  // BUG: no loss, so no backward pass, so no gradients
    trainer.backward();
    trainer.finish_step();
  }
}

void zero_gradients(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  // FIX: the empty batch goes through the step like any other; its gradients are zero
  for (int step = 0; step < kSteps; ++step) trainer.train_on(filtered(rank, step));
  finish_run(trainer, steps_without(kSteps),
             [](int ranks, int at, int step) { return filtered(ranks, at, step); });
}

void skip_by_agreement(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  for (int step = 0; step < kSteps; ++step) {
    const Batch batch = filtered(rank, step);
    if (any_rank(trainer.world(), batch.size == 0)) continue;  // FIX: all leave the step, or none
    trainer.train_on(batch);
  }
  rank.report().figure("samples_lost", 2 * (rank.world_size() - 1));
  finish_run(trainer, steps_without(kSteps, kEmptyStep));
}

Expectation others_wait_at_the_end(int ranks) {
  return one_has_left_at_once(ranks, ranks - 1, TrainingRun{}.gradients(kSteps - 1));
}

Expectation broadcast_meets_gradients(int ranks) {
  const TrainingRun with_buffers{TrainerOptions{}};
  return calls_differ(ranks, ranks - 1, buffers(), with_buffers.gradients(kEmptyStep));
}

constexpr Variant kVariants[] = {
    {"healthy", control, "the same loop, and no batch is empty", healthy},
    {"return_before_forward", broken,
     "the last rank returns before the forward, so its last all-reduce never comes",
     return_before_forward, others_wait_at_the_end},
    {"return_after_forward", broken, "it returns after the forward, which has broadcast buffers",
     return_after_forward, broadcast_meets_gradients},
    {"zero_gradients", fix, "the empty batch takes part with gradients of zero", zero_gradients},
    {"skip_by_agreement", fix, "a flag all-reduce in each step: all skip, or none",
     skip_by_agreement},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "one rank's batch is empty, and its training step returns early",
    .claims = {"C5"},
    .variants = kVariants,
};
