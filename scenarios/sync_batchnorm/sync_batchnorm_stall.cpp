// SyncBatchNorm adds collectives to the forward pass, and one rank's forward differs.
//
// Lesson    With SyncBatchNorm, a forward in training mode is a collective: all ranks run it,
//           equally often and in the same mode, or none does. Its collectives share the gradients'
//           communicator. So one missing or extra forward shifts every later call of that rank by
//           one or two slots.
// Watch     No rank is "missing" in the usual sense: the odd rank is alive and waits too, in
//           another collective at the same slot. A slow rank only makes the others wait.
// Cure      Use one mode on all ranks. Let an empty batch take part with count 0. Run an extra pass
//           on one rank through the unwrapped model in evaluation mode. Turning SyncBatchNorm on or
//           off cures nothing by itself.
// In PyTorch
//     model = DistributedDataParallel(nn.SyncBatchNorm.convert_sync_batchnorm(model))
//     if rank == 0: show(model(picture))                # bug: a collective that rank 0 makes alone
//     if rank == 0:
//         model.eval()
//         with torch.no_grad(): show(model.module(picture))         # cure: no collective in it
//         model.train()
// Seen in   pytorch#54059 (evaluation through the wrapped model on one rank), pytorch#48988

#include <ctime>

#include "scenarios/scenario.h"
#include "scenarios/training/runs/places.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kOddStep = 3;  // the step in which one rank differs
constexpr int kManyRanks = 256;

TrainerOptions options(Norm norm = Norm::synchronized,
                       EmptyBatch empty = EmptyBatch::participates) {
  return {.norm = norm, .empty_batch = empty, .broadcast_buffers = false};
}

Batch picture() { return batch_of_samples({0}); }

Batch empty_once(int ranks, int rank, int step) {
  const bool is_empty = rank == ranks - 1 && step == kOddStep;
  return is_empty ? batch_of_samples({}) : standard_batch(ranks, rank, step);
}

// Trains. `before` is what a rank may do before a step.
template <typename Before>
void train(Trainer& trainer, Before before, const BatchOf& batch_of = deal_standard) {
  const Rank& rank = trainer.rank();
  for (int step = 0; step < kSteps; ++step) {
    before(step);
    trainer.train_on(batch_of(rank.world_size(), rank.rank(), step));
  }
}

void nothing(int) {}

void synchronized(Rank& rank) {
  Trainer trainer(rank, options());
  train(trainer, nothing);
  finish_run(trainer, steps_without(kSteps));
}

void eval_on_one_rank(Rank& rank) {
  Trainer trainer(rank, options());
  train(trainer, [&](int step) {
    // BUG: one rank validated, and never switched back to training mode
    if (rank.is_last() && step == kOddStep) trainer.module().train(false);
  });
}

void empty_batch_on_one_rank(Rank& rank) {
  // BUG: the layer returns early if there is nothing to normalize
  Trainer trainer(rank, options(Norm::synchronized, EmptyBatch::skips_layer));
  train(trainer, nothing, empty_once);
}

void zero_count_participates(Rank& rank) {
  // FIX: an empty batch takes part with a count of 0
  Trainer trainer(rank, options(Norm::synchronized, EmptyBatch::participates));
  train(trainer, nothing, empty_once);
  finish_run(trainer, steps_without(kSteps), empty_once);
}

void extra_forward_on_rank_zero(Rank& rank) {
  Trainer trainer(rank, options());
  train(trainer, [&](int step) {
    // BUG: the model is in training mode, so this forward gathers statistics that no other rank
    // gives
    if (rank.rank() == 0 && step == kOddStep) trainer.forward(picture());
  });
}

void validate(Model& model) {
  model.train(false);
  model.forward(picture());
  model.train(true);
}

void unwrapped_forward(Rank& rank) {
  Trainer trainer(rank, options());
  train(trainer, [&](int step) {
    // FIX: the unwrapped model in evaluation mode makes no collective
    if (rank.rank() == 0 && step == kOddStep) validate(trainer.module());
  });
  finish_run(trainer, steps_without(kSteps));
}

void same_mode(Rank& rank) {
  Trainer trainer(rank, options());
  train(trainer, [&](int step) {
    if (step == kOddStep) validate(trainer.module());  // FIX: all ranks do it, and all switch back
  });
  finish_run(trainer, steps_without(kSteps));
}

void slow_rank(Rank& rank) {
  constexpr timespec kSlowStorage{.tv_sec = 0, .tv_nsec = 5'000'000};
  Trainer trainer(rank, options());
  train(trainer, [&](int) {
    if (rank.is_last()) nanosleep(&kSlowStorage, nullptr);
  });
  report_over_ranks(rank, "host_wait", "_us", rank.report().median_wait_us());
  finish_run(trainer, steps_without(kSteps));
}

void sync_batchnorm_on(Rank& rank) {
  Trainer trainer(rank, options());
  // The job hung because the last rank ends early. It still hangs, only at another place.
  const int steps = rank.is_last() ? kOddStep : kSteps;
  for (int step = 0; step < steps; ++step) trainer.train_on(standard_batch(rank, step));
}

void local_batchnorm(Rank& rank) {
  Trainer trainer(rank, options(Norm::local));
  train(trainer, nothing);
  // The parameters stay equal. The running statistics, which evaluation uses, do not.
  float mean = 0;
  check(cudaMemcpyAsync(&mean, trainer.module().norm().running_mean(), sizeof mean,
                        cudaMemcpyDeviceToHost, rank.stream()));
  rank.wait_for(rank.stream());
  rank.report().figure("statistics_drift", spread_over_ranks(rank, static_cast<double>(mean)));
  finish_run(trainer, steps_without(kSteps));
}

// SyncBatchNorm keeps the buffers equal by itself, so DDP's broadcast of them is off.
const TrainingRun kRun{.options = options()};

// The others gather statistics. The last rank gives none, and is already at its gradients.
Expectation last_skips_the_gather(int ranks) {
  return calls_differ(ranks, ranks - 1, gradients(), kRun.statistics(kOddStep));
}

// Rank 0's picture pairs with the others' step, and its step with their backward pass.
Expectation rank_zero_is_one_ahead(int ranks) {
  return calls_differ(ranks, 0, statistics(), kRun.gradients(kOddStep));
}

Expectation last_has_gone(int ranks) {
  return one_has_left(ranks, ranks - 1, kRun.statistics(kOddStep));
}

constexpr Variant kVariants[] = {
    {"synchronized", control, "the same loop, and no rank differs", synchronized, all_well, 2,
     kManyRanks},
    {"local_batchnorm", control,
     "no synchronization: it completes, and the running statistics drift apart", local_batchnorm,
     all_well, 2, kManyRanks},
    {"slow_rank", control,
     "the last rank's storage is slow: the others wait in every forward, but nothing hangs",
     slow_rank, all_well, 2, kManyRanks},
    {"eval_on_one_rank", broken,
     "the last rank stays in evaluation mode, where the layer has no collective", eval_on_one_rank,
     last_skips_the_gather},
    {"empty_batch_on_one_rank", broken, "the layer returns early for the last rank's empty batch",
     empty_batch_on_one_rank, last_skips_the_gather},
    {"extra_forward_on_rank_zero", broken,
     "rank 0 shows a validation picture with the model still in training mode",
     extra_forward_on_rank_zero, rank_zero_is_one_ahead},
    {"same_mode", fix, "all ranks validate in evaluation mode, and all switch back", same_mode,
     all_well, 2, kManyRanks},
    {"zero_count_participates", fix, "an empty batch takes part in the statistics with count 0",
     zero_count_participates, all_well, 2, kManyRanks},
    {"unwrapped_forward", fix, "rank 0's extra pass goes through the bare model in evaluation mode",
     unwrapped_forward, all_well, 2, kManyRanks},
    {"sync_batchnorm_on", remedy,
     "a job whose last rank leaves early, with SyncBatchNorm switched on to help",
     sync_batchnorm_on, last_has_gone},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "SyncBatchNorm makes the forward pass a collective, and one rank's forward differs",
    .claims = {"B8", "D6"},
    .variants = kVariants,
};
