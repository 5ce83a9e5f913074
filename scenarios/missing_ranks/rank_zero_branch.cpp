// A collective inside `if (rank == 0)`.
//
// Lesson    Work that only rank 0 does (a checkpoint, a metric, a decision) must not contain a call
//           that all ranks have to make. A barrier "so that the others wait for me" is such a call,
//           and so is anything that averages, gathers or broadcasts inside.
// Watch     On the gradients' communicator rank 0's extra call pairs with the others' next
//           gradients. On a communicator of its own rank 0 waits there, and the others wait for
//           rank 0 in theirs. After the last step the others have left: the one that still waits
//           is the one that differs.
// Cure      The branch holds rank 0's own work only; the collective stands outside, for all ranks.
// In PyTorch
//     if dist.get_rank() == 0: save(model); dist.barrier()         # bug: only rank 0 comes to it
//     if dist.get_rank() == 0: save(model)
//     dist.barrier()                                               # cure: all ranks
//     self.log("accuracy", value, sync_dist=True)                  # Lightning: the same rule
// Seen in   pytorch#54059 (validation on one rank and a barrier), transformers-bloom-inference#40,
//           Lightning's `rank_zero_only` and `sync_dist`

#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"
#include "scenarios/training/places.h"
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

// Training with `at_epoch_end` after one of the steps.
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
    if (rank.rank() == 0) barrier(trainer);  // BUG: the others do not come to it
  });
}

void barrier_outside(Rank& rank) { train(rank, barrier); }  // FIX: all ranks come to it

void barrier_after_training(Rank& rank) {
  Trainer trainer(rank, one_bucket());
  for (int step = 0; step < kSteps; ++step) trainer.train_on(standard_batch(rank, step));
  if (rank.rank() == 0) barrier(trainer);  // BUG: the others have ended
}

void metric_inside(Rank& rank) {
  ProcessGroup metrics(rank, "metrics");
  average_metric(metrics);  // connected, so that the question is the branch's alone
  train(rank, [&](Trainer&) {
    if (rank.rank() == 0) average_metric(metrics);  // BUG: an average that one rank asks for
  });
}

void metric_outside(Rank& rank) {
  ProcessGroup metrics(rank, "metrics");
  train(rank, [&](Trainer&) { average_metric(metrics); });  // FIX: all average, rank 0 prints
  metrics.close();
}

void broadcast_inside(Rank& rank) {
  train(rank, [&](Trainer& trainer) {
    if (rank.rank() == 0) broadcast_decision(trainer);  // BUG: nobody listens
  });
}

void broadcast_outside(Rank& rank) { train(rank, broadcast_decision); }  // FIX: all take part

int odd_slot() { return Wire{one_bucket()}.begin(kEpochEnd + 1); }

Expectation barrier_meets_gradients(int ranks) {
  return calls_differ(ranks, 0, value_at("checkpoint/barrier", odd_slot()),
                      gradients_at(odd_slot()));
}

// Rank 0 waits for nobody in its broadcast and goes on, one slot ahead.
Expectation broadcast_meets_gradients(int ranks) {
  return calls_differ(ranks, 0, gradients_at(odd_slot() + 1), gradients_at(odd_slot()));
}

Expectation each_in_its_own(int ranks) {
  return deadlock(ranks == 2 ? Cause::cycle : Cause::missing_rank)
      .culprits(fewer_or_all(ranks, {0}))
      .waiting(all_but(ranks, 0), gradients_at(odd_slot()))
      .waiting({0}, value_at("validation/metric", 1, "metrics"));
}

// Most have ended in good order: rank 0 differs. Of two, the one that has left.
Expectation others_have_left(int ranks) {
  return deadlock(Cause::rank_exited)
      .culprits({ranks == 2 ? 1 : 0})
      .waiting({0}, value_at("checkpoint/barrier", Wire{one_bucket()}.begin(kSteps)));
}

constexpr Variant kVariants[] = {
    {"no_branch", control, "the same loop with nothing in it", no_branch},
    {"barrier_inside", broken, "a barrier inside, on the gradients' communicator", barrier_inside,
     barrier_meets_gradients},
    {"barrier_after_training", broken, "the same behind the last step", barrier_after_training,
     others_have_left},
    {"metric_inside", broken, "a metric's all-reduce inside, on its own communicator",
     metric_inside, each_in_its_own},
    {"broadcast_inside", broken,
     "a broadcast inside: its root waits for nobody and is one call ahead", broadcast_inside,
     broadcast_meets_gradients},
    {"barrier_outside", fix, "the barrier moved out", barrier_outside},
    {"metric_outside", fix, "the all-reduce moved out", metric_outside},
    {"broadcast_outside", fix, "the broadcast moved out", broadcast_outside},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a collective inside `if (rank == 0)`",
    .variants = kVariants,
};
