// A collective inside `if (rank == 0)`.
//
// Lesson    Work that only rank 0 does (a checkpoint, a metric, a decision) must not contain a call
//           that all ranks have to make. A barrier "so that the others wait for me" is such a call,
//           and so is anything that averages, gathers or broadcasts inside.
// Watch     On the gradients' communicator rank 0's extra call pairs with the others' next
//           gradients. On a communicator of its own rank 0 waits there, and the others wait for
//           rank 0 in theirs. After the last step the others have left: then it looks as if they
//           were to blame.
// Cure      The branch holds rank 0's own work only; the collective stands outside, for all ranks.
// Seen in   pytorch#54059 (validation on one rank and a barrier), transformers-bloom-inference#40,
//           Lightning's `rank_zero_only` and `sync_dist`

#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"
#include "scenarios/training/declare.h"
#include "scenarios/training/standard_run.h"
#include "scenarios/training/wire.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kEpochEnd = 3;  // after this step rank 0 has something to do

void barrier(Trainer& trainer) {
  const Label label("checkpoint/barrier");
  trainer.world().reduce_on_host(0, ncclSum);
}

// Rank 0's opinion to all; it does not wait for them.
[[gnu::noinline]] void broadcast_decision(Trainer& trainer, const Buffer<float>& decision) {
  const Label label("early_stopping/broadcast");
  ProcessGroup& world = trainer.world();
  world.after_compute();
  check(ncclBroadcast(decision.data(), decision.data(), 1, ncclFloat32, 0, world.communicator(),
                      world.stream()));
  world.compute_waits();
}

void average_metric(ProcessGroup& metrics) {
  const Label label("validation/metric");
  metrics.reduce_on_host(1, ncclSum);
}

// Training with `at_epoch_end` after one of the steps.
template <typename Work>
void train(Trainer& trainer, Work at_epoch_end) {
  for (int step = 0; step < kSteps; ++step) {
    trainer.train_on(standard_batch(trainer.rank(), step));
    if (step == kEpochEnd) at_epoch_end();
  }
}

void finish(Trainer& trainer) {
  verify_run(trainer, steps_without(kSteps));
  trainer.close();
}

void no_branch(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  train(trainer, [] {});
  finish(trainer);
}

void barrier_inside(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  train(trainer, [&] {
    if (rank.rank() == 0) barrier(trainer);  // BUG: the others do not come to it
  });
}

void barrier_outside(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  train(trainer, [&] { barrier(trainer); });  // FIX: all ranks; what only rank 0 does comes before
  finish(trainer);
}

void barrier_after_training(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  train(trainer, [] {});
  if (rank.rank() == 0) barrier(trainer);  // BUG: the others have ended
}

void metric_inside(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  ProcessGroup metrics(rank, "metrics");
  average_metric(metrics);  // connected, so that the question is the branch's alone
  train(trainer, [&] {
    if (rank.rank() == 0) average_metric(metrics);  // BUG: an average that one rank asks for
  });
}

void metric_outside(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  ProcessGroup metrics(rank, "metrics");
  train(trainer, [&] { average_metric(metrics); });  // FIX: all ranks average, rank 0 prints
  metrics.close();
  finish(trainer);
}

void broadcast_inside(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  const Buffer<float> decision(1, rank.stream());
  train(trainer, [&] {
    if (rank.rank() == 0) broadcast_decision(trainer, decision);  // BUG: nobody listens
  });
}

void broadcast_outside(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  const Buffer<float> decision(1, rank.stream());
  // FIX: rank 0 decides inside the branch, all ranks take part in telling
  train(trainer, [&] { broadcast_decision(trainer, decision); });
  finish(trainer);
}

int odd_slot() { return Wire{one_bucket()}.begin(kEpochEnd + 1); }

Expectation barrier_meets_gradients(int ranks) {
  Expectation whole = mismatched(fewer_or_all(ranks, {0}));
  wait_for_gradients(whole, odd_slot(), all_but(ranks, 0));
  return wait_for_value(whole, "checkpoint/barrier", odd_slot(), {0});
}

// Rank 0 waits for nobody in its broadcast and goes on, one slot ahead.
Expectation broadcast_meets_gradients(int ranks) {
  Expectation whole = mismatched(fewer_or_all(ranks, {0}));
  wait_for_gradients(whole, odd_slot(), all_but(ranks, 0));
  return wait_for_gradients(whole, odd_slot() + 1, {0});
}

Expectation each_in_its_own(int ranks) {
  Expectation whole =
      deadlock(ranks == 2 ? Cause::cycle : Cause::missing_rank).culprits(fewer_or_all(ranks, {0}));
  wait_for_gradients(whole, odd_slot(), all_but(ranks, 0));
  return wait_for_value(whole, "validation/metric", 1, {0}, "metrics");
}

Expectation others_have_left(int ranks) {
  Expectation whole = deadlock(Cause::rank_exited).culprits(all_but(ranks, 0));
  return wait_for_value(whole, "checkpoint/barrier", Wire{one_bucket()}.begin(kSteps), {0});
}

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a collective inside `if (rank == 0)`",
    .claims = {},
    .ranks = 4,
    .variants =
        {
            {"no_branch", Role::control, "the same loop with nothing in it", no_branch, all_well},
            {"barrier_inside", Role::broken, "a barrier inside, on the gradients' communicator",
             barrier_inside, barrier_meets_gradients},
            {"barrier_after_training", Role::broken, "the same behind the last step",
             barrier_after_training, others_have_left},
            {"metric_inside", Role::broken, "a metric's all-reduce inside, on its own communicator",
             metric_inside, each_in_its_own},
            {"broadcast_inside", Role::broken,
             "a broadcast inside: its root waits for nobody and is one call ahead",
             broadcast_inside, broadcast_meets_gradients},
            {"barrier_outside", Role::fix, "the barrier moved out", barrier_outside, all_well},
            {"metric_outside", Role::fix, "the all-reduce moved out", metric_outside, all_well},
            {"broadcast_outside", Role::fix, "the broadcast moved out", broadcast_outside,
             all_well},
        },
};
