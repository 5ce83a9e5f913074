// cudaDeviceSynchronize between two collectives that the ranks enter in different order.
//
// Lesson    A device synchronize waits for this device only, never for another rank. It becomes
// part
//           of a deadlock when what it waits for needs a call that somebody has not made yet and
//           cannot make, because he is waiting as well. Without the sync both orders are harmless
//           here: the collectives run on two streams, and each finds its peers.
// Watch     The line where a rank stands is where it noticed, not what is wrong. Taking the sync
//           away cures a crossed order, but not a rank that never comes: the hang moves to the next
//           place where the host waits (the read of the loss). A sync put in to find a hang can be
//           the only cause of one.
// Cure      The same order of collectives on all ranks, or no host wait between them.
// Seen in   NCCL's guide, "Using multiple NCCL communicators concurrently"; xgboost#9367

#include <array>

#include "kernels/gradients.h"
#include "scenarios/runtime/buffer.h"
#include "scenarios/runtime/label.h"
#include "scenarios/runtime/rank.h"
#include "scenarios/scenario.h"
#include "scenarios/training/loader_worker.h"
#include "scenarios/training/verify.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 8;
constexpr int kOddStep = 3;  // where one rank stops coming
constexpr int kWarmUp = 1;   // collectives on each communicator before the first step
constexpr int kCount = 256;

// A communicator with a stream and data of its own. Two of them stand for the gradients and for
// whatever else a job averages: metrics, an encoder's lengths, a second model.
struct Channel {
  const char* label;
  ncclComm_t communicator;
  cudaStream_t stream;
  Buffer<float> data;
  PinnedBuffer<float> host;
};

Channel open_channel(Rank& rank, const char* name, const char* label) {
  const ncclComm_t communicator = open_communicator(rank, name);
  const cudaStream_t stream = open_stream();
  return {label, communicator, stream, Buffer<float>(kCount, stream), PinnedBuffer<float>(1)};
}

//   Collective
//   Blocks  no
[[gnu::noinline]] void all_reduce(const Channel& channel, float mine) {
  const Label label(channel.label);
  check(kernels::launch_fill(channel.data.data(), kCount, mine, channel.stream));
  check(ncclAllReduce(channel.data.data(), channel.data.data(), kCount, ncclFloat32, ncclSum,
                      channel.communicator, channel.stream));
}

// What a training loop does with the loss.
//   Blocks  until the channel's work is done
float read(Rank& rank, const Channel& channel) {
  const Label label("loss/item");
  check(cudaMemcpyAsync(channel.host.data(), channel.data.data(), sizeof(float),
                        cudaMemcpyDeviceToHost, channel.stream));
  rank.wait_for(channel.stream);
  return channel.host[0];
}

struct Channels {
  explicit Channels(Rank& of)
      : rank(of),
        first(open_channel(of, "first", "first/all_reduce")),
        second(open_channel(of, "second", "second/all_reduce")) {
    all_reduce(first, 0);
    all_reduce(second, 0);
    read(rank, first);
    read(rank, second);
    rank.report().begin_steps();
  }

  float mine(int step) const { return static_cast<float>(rank.rank() + step); }

  // The end of a step: reads both sums, and checks them.
  void finish(int step) {
    const int ranks = rank.world_size();
    const int ranks_added = ranks * (ranks - 1) / 2;
    const auto sum = static_cast<float>(ranks_added + ranks * step);
    const bool right = read(rank, first) == sum && read(rank, second) == sum;
    rank.report().numbers(right, "sums of small integers, exact");
    rank.report().step_done();
  }

  void close() const {
    close_communicator(first.communicator);
    close_communicator(second.communicator);
  }

  Rank& rank;
  Channel first;
  Channel second;
};

enum class Between { nothing, synchronize };

// Even ranks enter the first communicator first, odd ranks the second, or all the first.
void run_loop(Rank& rank, bool crossed, Between between) {
  Channels channels(rank);
  const bool swap = crossed && rank.rank() % 2 == 1;
  for (int step = 0; step < kSteps; ++step) {
    all_reduce(swap ? channels.second : channels.first, channels.mine(step));
    if (between == Between::synchronize) check(cudaDeviceSynchronize());
    all_reduce(swap ? channels.first : channels.second, channels.mine(step));
    channels.finish(step);
  }
  channels.close();
}

void plain_loop(Rank& rank) { run_loop(rank, false, Between::nothing); }

// BUG: with the sync, each half of the ranks waits for the call that the other half makes next
void crossed_with_sync(Rank& rank) { run_loop(rank, true, Between::synchronize); }

// FIX: both calls are on their way before the host waits for either
void sync_removed(Rank& rank) { run_loop(rank, true, Between::nothing); }

// FIX: the sync stays, the order is equal
void same_order(Rank& rank) { run_loop(rank, false, Between::synchronize); }

// Rank 1 may begin a step when rank 0 says so, over a socket.
void sync_before_host_signal(Rank& rank) {
  Channels channels(rank);
  for (int step = 0; step < kSteps; ++step) {
    if (rank.rank() == 1) rank.rendezvous().await_signal(0);
    all_reduce(channels.first, channels.mine(step));
    check(cudaDeviceSynchronize());  // BUG: rank 0 waits here for rank 1, and signals only then
    if (rank.rank() == 0) rank.rendezvous().signal(1);
    all_reduce(channels.second, channels.mine(step));
    channels.finish(step);
  }
}

// The same with nothing pending: the sync returns though rank 1 has not begun.
void sync_nothing_pending(Rank& rank) {
  Channels channels(rank);
  for (int step = 0; step < kSteps; ++step) {
    if (rank.rank() == 1) rank.rendezvous().await_signal(0);
    check(cudaDeviceSynchronize());
    if (rank.rank() == 0) rank.rendezvous().signal(1);
    all_reduce(channels.first, channels.mine(step));
    all_reduce(channels.second, channels.mine(step));
    channels.finish(step);
  }
  channels.close();
}

void sync_removed_missing_rank(Rank& rank) {
  Channels channels(rank);
  for (int step = 0; step < kSteps; ++step) {
    if (rank.is_last() && step == kOddStep) return;  // BUG: leaves alone; no sync has a part in it
    all_reduce(channels.first, channels.mine(step));
    all_reduce(channels.second, channels.mine(step));
    channels.finish(step);  // the others now wait here
  }
}

void barrier_instead(Rank& rank) {
  Channels channels(rank);
  // BUG: the last rank's loader hangs, and a barrier waits for it as anything else does
  LoaderWorker worker(rank.is_last() ? Storage::hangs : Storage::works, kOddStep);
  for (int step = 0; step < kSteps; ++step) {
    worker.fetch(step);
    {
      const Label label("barrier");
      check(ncclAllReduce(channels.first.data.data(), channels.first.data.data(), 1, ncclFloat32,
                          ncclSum, channels.first.communicator, channels.first.stream));
      rank.wait_for(channels.first.stream);
    }
    all_reduce(channels.second, channels.mine(step));
    read(rank, channels.second);
    rank.report().step_done();
  }
}

// Healthy without the probe: rank 0 enters both before it waits for either, so the others, who read
// the second before they enter the first, always get it.
void sync_as_probe(Rank& rank) {
  Channels channels(rank);
  for (int step = 0; step < kSteps; ++step) {
    if (rank.rank() == 0) {
      all_reduce(channels.first, channels.mine(step));
      check(cudaDeviceSynchronize());  // BUG: "let's see whether it gets past this line"
      all_reduce(channels.second, channels.mine(step));
    } else {
      all_reduce(channels.second, channels.mine(step));
      read(rank, channels.second);
      all_reduce(channels.first, channels.mine(step));
    }
    channels.finish(step);
  }
}

// Rounds of steps with and without syncs, in turn, so that both see the same machine.
void sync_every_step(Rank& rank) {
  constexpr int kRounds = 6;
  const Dataset data(ModelShape{}.features, ModelShape{}.outputs, [](int) { return 64; });
  const auto batch = [&](int at, int step) { return data.batch({step * rank.world_size() + at}); };
  Trainer trainer(rank, {});
  Report with;
  Report without;
  for (int step = 0; step < kRounds * kSteps; ++step) {
    const bool sync = step / kSteps % 2 == 1;
    Report& times = sync ? with : without;
    const Batch mine = batch(rank.rank(), step);
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

  verify_training(
      trainer, kRounds * kSteps,
      [&](int step) {
        ReferenceStep all;
        for (int at = 0; at < rank.world_size(); ++at) all.batches.push_back(batch(at, step));
        return all;
      },
      1e-4);
  trainer.close();
}

Expectation& waits(Expectation& whole, const char* channel, const char* label, int step,
                   std::vector<int> ranks) {
  return whole.waiting_in(label)
      .operation(Operation::all_reduce)
      .on(channel)
      .at_slot(kWarmUp + step)
      .called_from("all_reduce")
      .by(std::move(ranks));
}

std::vector<int> even_ranks(int ranks) {
  return ranks_where(ranks, [](int rank) { return rank % 2 == 0; });
}
std::vector<int> odd_ranks(int ranks) {
  return ranks_where(ranks, [](int rank) { return rank % 2 == 1; });
}

// As many even ranks as odd ones: a cycle with everyone on it. One more of the even ones: most are
// in the first communicator, and the odd ones are not there.
Expectation crossed(int ranks) {
  Expectation whole = ranks % 2 == 0 ? deadlock(Cause::cycle).culprits(all_ranks(ranks))
                                     : deadlock(Cause::missing_rank).culprits(odd_ranks(ranks));
  waits(whole, "first", "first/all_reduce", 0, even_ranks(ranks));
  return waits(whole, "second", "second/all_reduce", 0, odd_ranks(ranks));
}

Expectation probe(int ranks) {
  Expectation whole = ranks == 2 ? deadlock(Cause::cycle).culprits({0, 1})
                                 : deadlock(Cause::missing_rank).culprits({0});
  waits(whole, "first", "first/all_reduce", 0, {0});
  return waits(whole, "second", "second/all_reduce", 0, all_but(ranks, 0));
}

Expectation rank_one_listens(int ranks) {
  Expectation whole = stall(Cause::host_stuck).culprits({1});
  return waits(whole, "first", "first/all_reduce", 0, all_but(ranks, 1));
}

Expectation last_has_gone(int ranks) {
  Expectation whole = deadlock(Cause::rank_exited).culprits({ranks - 1});
  return waits(whole, "first", "first/all_reduce", kOddStep, all_but(ranks, ranks - 1));
}

Expectation last_is_stuck(int ranks) {
  return stall(Cause::host_stuck)
      .culprits({ranks - 1})
      .waiting_in("barrier")
      .operation(Operation::all_reduce)
      .on("first")
      .at_slot(kWarmUp + kOddStep)
      .called_from("barrier_instead")
      .by(all_but(ranks, ranks - 1));
}

Expectation all_well(int) { return completes(); }

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a device synchronize between two collectives that ranks enter in different order",
    .claims = {"A1", "A2", "A3", "A4", "A5", "A6", "B3"},
    .ranks = 4,
    .variants =
        {
            {.name = "plain_loop",
             .role = Role::control,
             .summary = "equal order, no sync: what the cures' cost is measured against",
             .run = plain_loop,
             .expect = all_well,
             .max_ranks = 256},
            {.name = "sync_nothing_pending",
             .role = Role::control,
             .summary = "a sync with nothing pending returns, wherever the other ranks are",
             .run = sync_nothing_pending,
             .expect = all_well,
             .max_ranks = 256},
            {.name = "sync_every_step",
             .role = Role::control,
             .summary = "healthy training with and without two syncs a step: what they cost",
             .run = sync_every_step,
             .expect = all_well,
             .max_ranks = 64},
            {.name = "crossed_with_sync",
             .role = Role::broken,
             .summary = "even ranks: first, sync, second; odd ranks: second, sync, first",
             .run = crossed_with_sync,
             .expect = crossed},
            {.name = "sync_removed",
             .role = Role::fix,
             .summary = "the same crossed order without the sync",
             .run = sync_removed,
             .expect = all_well,
             .max_ranks = 256},
            {.name = "same_order",
             .role = Role::fix,
             .summary = "the sync stays, the order is made equal",
             .run = same_order,
             .expect = all_well,
             .max_ranks = 256},
            {.name = "sync_before_host_signal",
             .role = Role::broken,
             .summary = "rank 0 syncs on a collective that rank 1 calls only after rank 0's signal",
             .run = sync_before_host_signal,
             .expect = rank_one_listens},
            {.name = "sync_removed_missing_rank",
             .role = Role::remedy,
             .summary = "no sync, but a rank never arrives: the hang moves to the read of the loss",
             .run = sync_removed_missing_rank,
             .expect = last_has_gone},
            {.name = "barrier_instead",
             .role = Role::remedy,
             .summary = "a barrier in the sync's place, and a rank whose loader is stuck",
             .run = barrier_instead,
             .expect = last_is_stuck},
            {.name = "sync_as_probe",
             .role = Role::broken,
             .summary = "a sync put into one rank to find a hang creates one",
             .run = sync_as_probe,
             .expect = probe},
        },
};
