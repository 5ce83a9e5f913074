// cudaDeviceSynchronize stands between two collectives that the ranks enter in different orders.
//
// Lesson    A device synchronize waits for this device only, never for another rank. It becomes
//           part of a deadlock if it waits for work that needs another rank's call, and that rank
//           waits as well.
// Watch     The line where a rank waits shows where the deadlock caught it, not what is wrong.
//           Without the sync, the crossed order passes on two streams, but only by luck. NCCL's
//           guide wants one order of communicators on all ranks, because a busy GPU may lack room
//           for both kernels at once. If a rank never comes, removing the sync does not help
//           either: the hang moves to the host's next wait, where it reads the loss. A sync that
//           was added to find a hang can itself be the only cause of one.
// Cure      Give all ranks the same order of collectives. Then a sync between them only costs time.
// In PyTorch
//     g = [first, second] if rank % 2 == 0 else [second, first]
//     dist.all_reduce(x, group=g[0], async_op=True)
//     torch.cuda.synchronize()                 # bug: half of the ranks have not called this one
//     dist.all_reduce(y, group=g[1], async_op=True)
//     g = [first, second]                      # cure: one order for all ranks
// Seen in   NCCL's guide, "Using multiple NCCL communicators concurrently"; xgboost#9367

#include "scenarios/runtime/channel_pair.h"
#include "scenarios/scenario.h"
#include "scenarios/training/data/loader_worker.h"
#include "scenarios/training/runs/standard_run.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 8;
constexpr int kOddStep = 3;  // the step in which a rank behaves differently
constexpr int kManyRanks = 256;

// Even ranks enter the first communicator first. Odd ranks do the same, or the opposite.
void run_loop(Rank& rank, bool crossed, bool synchronizes) {
  const ChannelPair pair(rank);
  for (int step = 0; step < kSteps; ++step) {
    pair.reduce_both(step, crossed && rank.rank() % 2 == 1, [&](const Channel& earlier) {
      if (!crossed) pair.chain(earlier);
      if (synchronizes) check(cudaDeviceSynchronize());
    });
    pair.finish(step);
  }
  pair.close();
}

void plain_loop(Rank& rank) { run_loop(rank, false, false); }

// BUG: each half of the ranks waits in the sync for the call that the other half makes next
void crossed_with_sync(Rank& rank) { run_loop(rank, true, true); }

// Both calls are enqueued before the host waits for either. A GPU with room for only one of the two
// kernels would run the first one alone, and hang.
void sync_removed(Rank& rank) { run_loop(rank, true, false); }

// FIX: all ranks use one order, so the sync may stay
void same_order(Rank& rank) { run_loop(rank, false, true); }

// Rank 1 begins a step when rank 0 tells it to, over a socket. Rank 0 does so after a sync.
void signal_behind_sync(Rank& rank, bool pending) {
  const ChannelPair pair(rank);
  for (int step = 0; step < kSteps; ++step) {
    if (rank.rank() == 1) rank.rendezvous().await_signal(0);
    if (pending) pair.reduce_first(step);
    check(cudaDeviceSynchronize());  // BUG: if the collective is pending, it needs rank 1
    if (rank.rank() == 0) rank.rendezvous().signal(1);
    if (!pending) pair.reduce_first(step);
    pair.chain(pair.first);
    pair.reduce_second(step);
    pair.finish(step);
  }
  pair.close();
}

void sync_before_host_signal(Rank& rank) { signal_behind_sync(rank, true); }

// The sync returns although rank 1 has not begun.
void sync_nothing_pending(Rank& rank) { signal_behind_sync(rank, false); }

void sync_removed_missing_rank(Rank& rank) {
  const ChannelPair pair(rank);
  for (int step = 0; step < kSteps; ++step) {
    if (rank.is_last() && step == kOddStep) return;  // BUG: it leaves alone, sync or no sync
    pair.reduce_first(step);
    pair.chain(pair.first);
    pair.reduce_second(step);
    pair.finish(step);  // the others now wait here
  }
}

void barrier_instead(Rank& rank) {
  const ChannelPair pair(rank);
  // BUG: the last rank's loader hangs, and a barrier waits for it like any other collective
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

// Without the probe, rank 0 enters both before it waits for either. The others read the second
// one's result before they enter the first, and always get it.
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

// Rounds with and without syncs alternate, so that both are measured under the same conditions.
void sync_every_step(Rank& rank) {
  constexpr int kRounds = 6;
  Trainer trainer(rank, {});
  Report with;
  Report without;
  for (int step = 0; step < kRounds * kSteps; ++step) {
    const bool sync = step / kSteps % 2 == 1;
    Report& times = sync ? with : without;
    if (step % kSteps == 0) times.begin_steps();
    trainer.forward(standard_batch(rank, step));
    if (sync) check(cudaDeviceSynchronize());
    trainer.backward();
    if (sync) check(cudaDeviceSynchronize());
    trainer.step();
    if (step % kSteps != kSteps - 1) continue;
    trainer.loss_item();  // both wait once a round, so that queued work is counted
    times.step_done();
  }
  rank.report().figure("step_time_without_sync_us", without.median_step_us() / kSteps);
  rank.report().figure("step_time_with_sync_us", with.median_step_us() / kSteps);
  finish_run(trainer, steps_without(kRounds * kSteps));
}

Expectation crossed(int ranks) {
  return hosts_crossed(ranks, first_at(in_step(0)), second_at(in_step(0)));
}

Expectation probe(int ranks) {
  return one_is_elsewhere(ranks, 0, first_at(in_step(0)), second_at(in_step(0)));
}

// On a GPU the kernel's word proves that rank 1 waits for rank 0, so it is no stuck host.
Expectation rank_one_listens(int ranks) {
  return one_is_stuck(ranks, 1, first_at(in_step(0))).loosely_on_real_nccl();
}

Expectation last_has_gone(int ranks) {
  return one_has_left(ranks, ranks - 1, first_at(in_step(kOddStep)));
}

Expectation last_is_stuck(int ranks) {
  return one_is_stuck(ranks, ranks - 1, reduction_at("barrier", in_step(kOddStep), "first"));
}

constexpr Variant kVariants[] = {
    {"plain_loop", control, "equal order, no sync: what the cures' cost is compared with",
     plain_loop, all_well, 2, kManyRanks},
    {"sync_nothing_pending", control,
     "a sync with nothing pending returns, wherever the other ranks are", sync_nothing_pending,
     all_well, 2, kManyRanks},
    {"sync_every_step", control,
     "healthy training with and without two syncs a step: what they cost", sync_every_step,
     all_well, 2, 64},
    {"crossed_with_sync", broken, "even ranks: first, sync, second; odd ranks: second, sync, first",
     crossed_with_sync, crossed},
    {"sync_removed", remedy,
     "crossed order without the sync: passes while the GPU has room for both collectives",
     sync_removed, all_well, 2, kManyRanks},
    {"same_order", fix, "the order is made equal, and the sync stays", same_order, all_well, 2,
     kManyRanks},
    {"sync_before_host_signal", broken,
     "rank 0 syncs on a collective that rank 1 calls after rank 0's signal",
     sync_before_host_signal, rank_one_listens},
    {"sync_removed_missing_rank", remedy,
     "no sync, but a rank never arrives: the hang moves to the read of the loss",
     sync_removed_missing_rank, last_has_gone},
    {"barrier_instead", remedy, "a barrier in place of the sync, and a rank whose loader is stuck",
     barrier_instead, last_is_stuck},
    {"sync_as_probe", broken, "a sync that was put into one rank to find a hang creates one",
     sync_as_probe, probe},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a device synchronize between two collectives that ranks enter in different orders",
    .claims = {"A1", "A2", "A3", "A4", "A5", "A6", "B3"},
    .variants = kVariants,
};
