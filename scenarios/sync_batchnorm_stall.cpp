// SyncBatchNorm puts collectives into the forward pass, and one rank's forward differs.
//
// Lesson    With SyncBatchNorm a forward in training mode is a collective: all ranks run it,
// equally
//           often and in the same mode, or none does. It shares the gradients' communicator, so a
//           forward too few or too many shifts every later call of that rank by one or two.
// Watch     Nothing is "missing" in the usual sense: the odd rank is alive and waits as well, in
//           another collective at the same slot. A slow rank only makes the others wait.
// Cure      One mode on all ranks; an empty batch takes part with count 0; an extra pass on one
//           rank goes through the bare model in evaluation mode. Turning SyncBatchNorm on or off
//           cures nothing by itself.
// Seen in   pytorch#54059 (evaluation through the wrapped model on one rank), pytorch#48988

#include <ctime>

#include "scenarios/scenario.h"
#include "scenarios/training/verify.h"
#include "scenarios/training/wire.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kOddStep = 3;  // from here on, or here, one rank does something else
constexpr double kTolerance = 2e-5;
constexpr timespec kSlowStorage{.tv_sec = 0, .tv_nsec = 5'000'000};

// SyncBatchNorm keeps the buffers equal by itself, so DDP's broadcast of them is switched off.
TrainerOptions options(Norm norm = Norm::synchronized,
                       EmptyBatch empty = EmptyBatch::participates) {
  return {.norm = norm, .empty_batch = empty, .broadcast_buffers = false};
}

Dataset dataset() {
  return {ModelShape{}.features, ModelShape{}.outputs, [](int sample) { return 24 + sample % 8; }};
}

Batch batch(int ranks, int rank, int step) {
  const int first = 2 * (step * ranks + rank);
  return dataset().batch({first, first + 1});
}
Batch batch(Rank& rank, int step) { return batch(rank.world_size(), rank.rank(), step); }
Batch picture() { return dataset().batch({0}); }

// `empty` says whose batch is empty.
void verify(Trainer& trainer, bool (*empty)(int ranks, int rank, int step)) {
  const int ranks = trainer.rank().world_size();
  verify_training(
      trainer, kSteps,
      [=](int step) {
        ReferenceStep all;
        for (int rank = 0; rank < ranks; ++rank) {
          const bool none = empty != nullptr && empty(ranks, rank, step);
          all.batches.push_back(none ? dataset().batch({}) : batch(ranks, rank, step));
        }
        return all;
      },
      kTolerance);
}

bool last_is_empty(int ranks, int rank, int step) { return rank == ranks - 1 && step == kOddStep; }

void eval_on_one_rank(Rank& rank) {
  Trainer trainer(rank, options());
  for (int step = 0; step < kSteps; ++step) {
    // BUG: a quick look at the validation set, on one rank, which never switched back
    if (rank.is_last() && step == kOddStep) trainer.module().train(false);
    trainer.train_on(batch(rank, step));
  }
}

void train_with_an_empty_batch(Trainer& trainer) {
  Rank& rank = trainer.rank();
  for (int step = 0; step < kSteps; ++step) {
    const bool empty = last_is_empty(rank.world_size(), rank.rank(), step);
    trainer.train_on(empty ? dataset().batch({}) : batch(rank, step));
  }
}

void empty_batch_on_one_rank(Rank& rank) {
  // BUG: a layer that returns early when there is nothing to normalize
  Trainer trainer(rank, options(Norm::synchronized, EmptyBatch::skips_layer));
  train_with_an_empty_batch(trainer);
}

void zero_count_participates(Rank& rank) {
  // FIX: nothing to normalize is a count of 0, and takes part
  Trainer trainer(rank, options(Norm::synchronized, EmptyBatch::participates));
  train_with_an_empty_batch(trainer);
  verify(trainer, last_is_empty);
  trainer.close();
}

void extra_forward_on_rank_zero(Rank& rank) {
  Trainer trainer(rank, options());
  for (int step = 0; step < kSteps; ++step) {
    // BUG: still in training mode, so this forward gathers statistics that nobody else gives
    if (rank.rank() == 0 && step == kOddStep) trainer.forward(picture());
    trainer.train_on(batch(rank, step));
  }
}

void unwrapped_forward(Rank& rank) {
  Trainer trainer(rank, options());
  for (int step = 0; step < kSteps; ++step) {
    if (rank.rank() == 0 && step == kOddStep) {
      trainer.module().train(false);  // FIX: the bare model in evaluation mode: no collective
      trainer.module().forward(picture());
      trainer.module().train(true);
    }
    trainer.train_on(batch(rank, step));
  }
  verify(trainer, nullptr);
  trainer.close();
}

void same_mode(Rank& rank) {
  Trainer trainer(rank, options());
  for (int step = 0; step < kSteps; ++step) {
    if (step == kOddStep) {  // FIX: all ranks look at the validation set, and all switch back
      trainer.module().train(false);
      trainer.module().forward(picture());
      trainer.module().train(true);
    }
    trainer.train_on(batch(rank, step));
  }
  verify(trainer, nullptr);
  trainer.close();
}

void slow_rank(Rank& rank) {
  Trainer trainer(rank, options());
  for (int step = 0; step < kSteps; ++step) {
    if (rank.is_last()) nanosleep(&kSlowStorage, nullptr);
    trainer.train_on(batch(rank, step));
  }
  report_over_ranks(rank, "host_wait", "_us", rank.report().median_wait_us());
  verify(trainer, nullptr);
  trainer.close();
}

void sync_batchnorm_on(Rank& rank) {
  Trainer trainer(rank, options());
  // The job hung because the last rank ends early. It still does; only the place has moved.
  const int steps = rank.is_last() ? kOddStep : kSteps;
  for (int step = 0; step < steps; ++step) trainer.train_on(batch(rank, step));
}

void local_batchnorm(Rank& rank) {
  Trainer trainer(rank, options(Norm::local));
  for (int step = 0; step < kSteps; ++step) trainer.train_on(batch(rank, step));
  // The parameters stay equal; the running statistics, which evaluation uses, do not.
  float mean = 0;
  check(cudaMemcpyAsync(&mean, trainer.module().norm().running_mean(), sizeof mean,
                        cudaMemcpyDeviceToHost, rank.stream()));
  rank.wait_for(rank.stream());
  double low = static_cast<double>(mean);
  double high = low;
  for (const std::string& other : rank.rendezvous().exchange(std::to_string(mean))) {
    low = std::min(low, std::stod(other));
    high = std::max(high, std::stod(other));
  }
  rank.report().figure("statistics_drift", high - low);
  verify(trainer, nullptr);
  trainer.close();
}

const Wire kWire{options()};

Expectation odd_one_out(int ranks, int culprit) {
  return deadlock(Cause::mismatch)
      .or_on(Backend::cuda, Outcome::fails)
      .or_on(Backend::cuda, Outcome::crashes)
      .or_on(Backend::cuda, Outcome::corrupts)
      .culprits(fewer_or_all(ranks, {culprit}));
}

// The others gather statistics; the last rank, which has none to give, is at its gradients already.
Expectation last_skips_the_gather(int ranks) {
  return odd_one_out(ranks, ranks - 1)
      .waiting_in("sync_batch_norm/forward")
      .operation(Operation::all_gather)
      .on("world")
      .at_slot(kWire.forward(kOddStep))
      .called_from("gather_records")
      .by(all_but(ranks, ranks - 1))
      .waiting_in("gradients/bucket 0")
      .operation(Operation::all_reduce)
      .on("world")
      .at_slot(kWire.forward(kOddStep))
      .called_from("launch_bucket")
      .by({ranks - 1});
}

// Rank 0's picture pairs with the others' step; one slot later its step meets their backward pass.
Expectation rank_zero_is_one_ahead(int ranks) {
  return odd_one_out(ranks, 0)
      .waiting_in("sync_batch_norm/forward")
      .operation(Operation::all_gather)
      .on("world")
      .at_slot(kWire.forward(kOddStep) + 1)
      .called_from("gather_records")
      .by({0})
      .waiting_in("gradients/bucket 0")
      .operation(Operation::all_reduce)
      .on("world")
      .at_slot(kWire.forward(kOddStep) + 1)
      .called_from("launch_bucket")
      .by(all_but(ranks, 0));
}

Expectation last_has_gone(int ranks) {
  return deadlock(Cause::rank_exited)
      .culprits({ranks - 1})
      .waiting_in("sync_batch_norm/forward")
      .operation(Operation::all_gather)
      .on("world")
      .at_slot(kWire.forward(kOddStep))
      .called_from("gather_records")
      .by(all_but(ranks, ranks - 1));
}

Expectation all_well(int) { return completes(); }

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "SyncBatchNorm makes the forward pass a collective, and one rank's forward differs",
    .claims = {"B8", "D6"},
    .ranks = 4,
    .variants =
        {
            {.name = "local_batchnorm",
             .role = Role::control,
             .summary = "no synchronization: completes, and the running statistics drift apart",
             .run = local_batchnorm,
             .expect = all_well,
             .max_ranks = 256},
            {.name = "slow_rank",
             .role = Role::control,
             .summary =
                 "the last rank's storage is slow: the others wait in every forward, no more",
             .run = slow_rank,
             .expect = all_well,
             .max_ranks = 256},
            {.name = "eval_on_one_rank",
             .role = Role::broken,
             .summary = "the last rank stays in evaluation mode, where the layer has no collective",
             .run = eval_on_one_rank,
             .expect = last_skips_the_gather},
            {.name = "empty_batch_on_one_rank",
             .role = Role::broken,
             .summary = "the layer returns early for the last rank's empty batch",
             .run = empty_batch_on_one_rank,
             .expect = last_skips_the_gather},
            {.name = "extra_forward_on_rank_zero",
             .role = Role::broken,
             .summary = "rank 0 shows a validation picture with the model still in training mode",
             .run = extra_forward_on_rank_zero,
             .expect = rank_zero_is_one_ahead},
            {.name = "same_mode",
             .role = Role::fix,
             .summary = "all ranks validate, in evaluation mode, and all switch back",
             .run = same_mode,
             .expect = all_well,
             .max_ranks = 256},
            {.name = "zero_count_participates",
             .role = Role::fix,
             .summary = "an empty batch takes part in the statistics with count 0",
             .run = zero_count_participates,
             .expect = all_well,
             .max_ranks = 256},
            {.name = "unwrapped_forward",
             .role = Role::fix,
             .summary = "rank 0's extra pass goes through the bare model in evaluation mode",
             .run = unwrapped_forward,
             .expect = all_well,
             .max_ranks = 256},
            {.name = "sync_batchnorm_on",
             .role = Role::remedy,
             .summary =
                 "a job whose last rank leaves early, with SyncBatchNorm switched on to help",
             .run = sync_batchnorm_on,
             .expect = last_has_gone},
        },
};
