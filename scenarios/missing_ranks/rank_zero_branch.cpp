// A collective inside `if (rank == 0)`.
//
// Lesson    Rank 0 may have its own work: a checkpoint, a metric, a decision. That work must not
//           contain a call that all ranks have to make. A barrier meant to make the others wait is
//           such a call. So is every average, gather and broadcast.
// Watch     On the gradients' communicator, rank 0's extra call pairs with the others' next
//           gradients. On a separate communicator, rank 0 waits there, and the others wait for it
//           in their gradients. After the last step the others have left, and rank 0 waits alone.
// Cure      The branch contains only rank 0's own work. The collective stands outside, and all
//           ranks call it.
// In PyTorch
//     if dist.get_rank() == 0: save(model); dist.barrier()         # bug: only rank 0 comes to it
//     if dist.get_rank() == 0: save(model)
//     dist.barrier()                                               # cure: all ranks
//     self.log("accuracy", value, sync_dist=True)                  # Lightning: the same rule
// Seen in   pytorch#54059 (validation on one rank and a barrier), transformers-bloom-inference#40,
//           Lightning's `rank_zero_only` and `sync_dist`

#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"
#include "scenarios/training/runs/places.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kEpochEnd = 3;  // after this step rank 0 has something to do

void barrier(Trainer& trainer) {
  const Label label("checkpoint/barrier");
  trainer.world().reduce_on_host(0, ncclSum);
}

// Rank 0 sends its decision to all ranks and waits for none of them.
[[gnu::noinline]] void broadcast_decision(Trainer& trainer) {
  const Label label("early_stopping/broadcast");
  ProcessGroup& world = trainer.world();
  const Buffer<float> decision(1, trainer.rank().stream());
  world.after_compute();
  check(ncclBroadcast(decision.data(), decision.data(), 1, ncclFloat32, 0, world.communicator(),
                      world.stream()));
  world.compute_waits();
}

void average_metric(ProcessGroup& metrics) {
  const Label label("validation/metric");
  metrics.reduce_on_host(1, ncclSum);
}

// Trains, and calls `at_epoch_end` after one of the steps.
template <typename Work>
void train(Rank& rank, Work at_epoch_end) {
  Trainer trainer(rank, one_bucket());
  for (int step = 0; step < kSteps; ++step) {
    trainer.train_on(standard_batch(rank, step));
    if (step == kEpochEnd) at_epoch_end(trainer);
  }
  finish_run(trainer, steps_without(kSteps));
}

void no_branch(Rank& rank) { run_healthy(rank, kSteps); }

void barrier_inside(Rank& rank) {
  train(rank, [&](Trainer& trainer) {
    if (rank.rank() == 0) barrier(trainer);  // BUG: the others never call it
  });
}

void barrier_outside(Rank& rank) { train(rank, barrier); }  // FIX: all ranks call it

void barrier_after_training(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  for (int step = 0; step < kSteps; ++step) trainer.train_on(standard_batch(rank, step));
  if (rank.rank() == 0) barrier(trainer);  // BUG: the others have ended
}

void metric_inside(Rank& rank) {
  ProcessGroup metrics(rank, "metrics");
  average_metric(metrics);  // connects the ranks, so that only the branch can hang
  train(rank, [&](Trainer&) {
    if (rank.rank() == 0) average_metric(metrics);  // BUG: only one rank calls the average
  });
}

void metric_outside(Rank& rank) {
  ProcessGroup metrics(rank, "metrics");
  train(rank, [&](Trainer&) { average_metric(metrics); });  // FIX: all average, rank 0 prints
  metrics.close();
}

void broadcast_inside(Rank& rank) {
  train(rank, [&](Trainer& trainer) {
    if (rank.rank() == 0) broadcast_decision(trainer);  // BUG: nobody else calls it
  });
}

void broadcast_outside(Rank& rank) { train(rank, broadcast_decision); }  // FIX: all take part

const TrainingRun kRun;
const Place kNextGradients = kRun.gradients(kEpochEnd + 1);

Expectation barrier_meets_gradients(int ranks) {
  return calls_differ(ranks, 0, value("checkpoint/barrier"), kNextGradients);
}

// Rank 0's broadcast waits for nobody, so rank 0 goes on and calls its gradients one slot too late.
Expectation broadcast_meets_gradients(int ranks) {
  return calls_differ(ranks, 0, one_call_later(kNextGradients), kNextGradients);
}

Expectation each_in_its_own(int ranks) {
  return one_is_elsewhere(ranks, 0, value("validation/metric", "metrics", 1), kNextGradients);
}

// Rank 0 differs from most ranks, which have ended without an error. With two ranks, the other one
// is to blame, because it has left.
// See one_has_left_at_once() for what a network changes.
Expectation others_have_left(int ranks) {
  return deadlock(Cause::rank_exited)
      .culprits({ranks == 2 ? 1 : 0})
      .waiting({0}, kRun.behind(kSteps - 1, value("checkpoint/barrier")))
      .or_on_real_nccl(Outcome::stall)
      .loosely_on_real_nccl();
}

constexpr Variant kVariants[] = {
    {"no_branch", control, "the same loop without the branch", no_branch},
    {"barrier_inside", broken, "a barrier inside, on the gradients' communicator", barrier_inside,
     barrier_meets_gradients},
    {"barrier_after_training", broken, "a barrier inside, after the last step",
     barrier_after_training, others_have_left},
    {"metric_inside", broken, "a metric's all-reduce inside, on its own communicator",
     metric_inside, each_in_its_own},
    {"broadcast_inside", broken,
     "a broadcast inside: its root waits for nobody and gets one call ahead", broadcast_inside,
     broadcast_meets_gradients},
    {"barrier_outside", fix, "the barrier stands outside", barrier_outside},
    {"metric_outside", fix, "the all-reduce stands outside", metric_outside},
    {"broadcast_outside", fix, "the broadcast stands outside", broadcast_outside},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a collective inside `if (rank == 0)`",
    .variants = kVariants,
};
