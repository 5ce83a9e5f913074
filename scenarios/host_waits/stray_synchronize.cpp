// cudaDeviceSynchronize between two collectives that the ranks enter in different order.
//
// Lesson    A device synchronize waits for this device only, never for another rank. It becomes
//           part of a deadlock when what it waits for needs a call that somebody has not made yet
//           and cannot make, because he is waiting as well. Without the sync both orders are
//           harmless here: the collectives run on two streams, and each finds its peers.
// Watch     The line where a rank stands is where it noticed, not what is wrong. Taking the sync
//           away cures a crossed order, but not a rank that never comes: the hang moves to the next
//           place where the host waits (the read of the loss). A sync put in to find a hang can be
//           the only cause of one.
// Cure      The same order of collectives on all ranks, or no host wait between them.
// In PyTorch
//     g = [first, second] if rank % 2 == 0 else [second, first]
//     one = dist.all_reduce(x, group=g[0], async_op=True)
//     torch.cuda.synchronize()                 # bug: half of the ranks have not called this one
//     two = dist.all_reduce(y, group=g[1], async_op=True)
//     one.wait(); two.wait()                   # cure: wait behind both, or one order for all
// Seen in   NCCL's guide, "Using multiple NCCL communicators concurrently"; xgboost#9367

#include "scenarios/runtime/channel_pair.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"
#include "scenarios/training/loader_worker.h"
#include "scenarios/training/standard_run.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 8;
constexpr int kOddStep = 3;  // where one rank stops coming
constexpr int kManyRanks = 256;

// Even ranks enter the first communicator first, odd ranks the second, or all the first.
void run_loop(Rank& rank, bool crossed, bool synchronizes) {
  const ChannelPair pair(rank);
  for (int step = 0; step < kSteps; ++step) {
    pair.reduce_both(step, crossed && rank.rank() % 2 == 1, [=](const Channel&) {
      if (synchronizes) check(cudaDeviceSynchronize());
    });
    pair.finish(step);
  }
  pair.close();
}

void plain_loop(Rank& rank) { run_loop(rank, false, false); }

// BUG: with the sync, each half of the ranks waits for the call that the other half makes next
void crossed_with_sync(Rank& rank) { run_loop(rank, true, true); }

// FIX: both calls are on their way before the host waits for either
void sync_removed(Rank& rank) { run_loop(rank, true, false); }

// FIX: the sync stays, the order is equal
void same_order(Rank& rank) { run_loop(rank, false, true); }

// Rank 1 may begin a step when rank 0 says so, over a socket.
void sync_before_host_signal(Rank& rank) {
  const ChannelPair pair(rank);
  for (int step = 0; step < kSteps; ++step) {
    if (rank.rank() == 1) rank.rendezvous().await_signal(0);
    pair.reduce_first(step);
    check(cudaDeviceSynchronize());  // BUG: rank 0 waits here for rank 1, and signals only then
    if (rank.rank() == 0) rank.rendezvous().signal(1);
    pair.reduce_second(step);
    pair.finish(step);
  }
}

// The same with nothing pending: the sync returns though rank 1 has not begun.
void sync_nothing_pending(Rank& rank) {
  const ChannelPair pair(rank);
  for (int step = 0; step < kSteps; ++step) {
    if (rank.rank() == 1) rank.rendezvous().await_signal(0);
    check(cudaDeviceSynchronize());
    if (rank.rank() == 0) rank.rendezvous().signal(1);
    pair.reduce_first(step);
    pair.reduce_second(step);
    pair.finish(step);
  }
  pair.close();
}

void sync_removed_missing_rank(Rank& rank) {
  const ChannelPair pair(rank);
  for (int step = 0; step < kSteps; ++step) {
    if (rank.is_last() && step == kOddStep) return;  // BUG: leaves alone; no sync has a part in it
    pair.reduce_first(step);
    pair.reduce_second(step);
    pair.finish(step);  // the others now wait here
  }
}

void barrier_instead(Rank& rank) {
  const ChannelPair pair(rank);
  // BUG: the last rank's loader hangs, and a barrier waits for it as anything else does
  LoaderWorker worker(rank.is_last() ? Storage::hangs : Storage::works, kOddStep);
  for (int step = 0; step < kSteps; ++step) {
    worker.fetch(step);
    all_reduce(pair.first, "barrier", 0);
    rank.wait_for(pair.first.stream);
    pair.reduce_second(step);
    check_sum(rank, pair.second, step);
    rank.report().step_done();
  }
}

// Healthy without the probe: rank 0 enters both before it waits for either, so the others, who read
// the second before they enter the first, always get it.
void sync_as_probe(Rank& rank) {
  const ChannelPair pair(rank);
  for (int step = 0; step < kSteps; ++step) {
    if (rank.rank() == 0) {
      pair.reduce_first(step);
      check(cudaDeviceSynchronize());  // BUG: "let's see whether it gets past this line"
      pair.reduce_second(step);
    } else {
      pair.reduce_second(step);
      read(rank, pair.second);
      pair.reduce_first(step);
    }
    pair.finish(step);
  }
}

// Rounds of steps with and without syncs, in turn, so that both see the same machine.
void sync_every_step(Rank& rank) {
  constexpr int kRounds = 6;
  const auto batch = [](int ranks, int at, int step) {
    return batch_of_samples({step * ranks + at});
  };
  Trainer trainer(rank, {});
  Report with;
  Report without;
  for (int step = 0; step < kRounds * kSteps; ++step) {
    const bool sync = step / kSteps % 2 == 1;
    Report& times = sync ? with : without;
    const Batch mine = batch(rank.world_size(), rank.rank(), step);
    if (step % kSteps == 0) times.begin_steps();
    trainer.forward(mine);
    if (sync) check(cudaDeviceSynchronize());
    trainer.backward();
    if (sync) check(cudaDeviceSynchronize());
    trainer.step();
    if (step % kSteps != kSteps - 1) continue;
    trainer.loss_item();  // both wait once a round, so that what is queued is counted
    times.step_done();
  }
  rank.report().figure("step_time_without_sync_us", without.median_step_us() / kSteps);
  rank.report().figure("step_time_with_sync_us", with.median_step_us() / kSteps);
  finish_run(trainer, steps_without(kRounds * kSteps), batch);
}

Expectation crossed(int ranks) {
  return hosts_crossed(ranks, first_at(kFirstSlot), second_at(kFirstSlot));
}

Expectation probe(int ranks) {
  return deadlock(ranks == 2 ? Cause::cycle : Cause::missing_rank)
      .culprits(fewer_or_all(ranks, {0}))
      .waiting({0}, first_at(kFirstSlot))
      .waiting(all_but(ranks, 0), second_at(kFirstSlot));
}

Expectation rank_one_listens(int ranks) { return one_is_stuck(ranks, 1, first_at(kFirstSlot)); }

Expectation last_has_gone(int ranks) {
  return one_has_left(ranks, ranks - 1, first_at(kFirstSlot + kOddStep));
}

Expectation last_is_stuck(int ranks) {
  return one_is_stuck(ranks, ranks - 1, reduction_at("barrier", kFirstSlot + kOddStep, "first"));
}

constexpr Variant kVariants[] = {
    {"plain_loop", control, "equal order, no sync: what the cures' cost is measured against",
     plain_loop, all_well, 2, kManyRanks},
    {"sync_nothing_pending", control,
     "a sync with nothing pending returns, wherever the other ranks are", sync_nothing_pending,
     all_well, 2, kManyRanks},
    {"sync_every_step", control,
     "healthy training with and without two syncs a step: what they cost", sync_every_step,
     all_well, 2, 64},
    {"crossed_with_sync", broken, "even ranks: first, sync, second; odd ranks: second, sync, first",
     crossed_with_sync, crossed},
    {"sync_removed", fix, "the same crossed order without the sync", sync_removed, all_well, 2,
     kManyRanks},
    {"same_order", fix, "the sync stays, the order is made equal", same_order, all_well, 2,
     kManyRanks},
    {"sync_before_host_signal", broken,
     "rank 0 syncs on a collective that rank 1 calls only after rank 0's signal",
     sync_before_host_signal, rank_one_listens},
    {"sync_removed_missing_rank", remedy,
     "no sync, but a rank never arrives: the hang moves to the read of the loss",
     sync_removed_missing_rank, last_has_gone},
    {"barrier_instead", remedy, "a barrier in the sync's place, and a rank whose loader is stuck",
     barrier_instead, last_is_stuck},
    {"sync_as_probe", broken, "a sync put into one rank to find a hang creates one", sync_as_probe,
     probe},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a device synchronize between two collectives that ranks enter in different order",
    .claims = {"A1", "A2", "A3", "A4", "A5", "A6", "B3"},
    .variants = kVariants,
};
