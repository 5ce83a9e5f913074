// Ranks enter two communicators in different orders.
//
// Lesson    A stream runs one collective after the other. So each call waits for the calls before
//           it, even without a synchronize. All ranks need one order over all their communicators.
// Watch     Neither communicator shows a fault: in each, some members have come and others have not
//           yet. On two streams the crossed order passes while the GPU has room for both kernels,
//           and hangs once another kernel takes that room.
// Cure      Number the communicators, and enter the lowest first on all ranks. On several streams
//           the GPU may still start the kernels in another order: chain the streams with events, or
//           set NCCL_LAUNCH_ORDER_IMPLICIT=1 (NCCL 2.26). It launches each rank's calls in the
//           order in which the rank makes them. It does not make that order equal on all ranks.
//           Make all calls from one thread: if two threads race to launch, NCCL refuses
//           (NCCL_LAUNCH_RACE_FATAL=1, the default).
// In PyTorch
//     for g in (tensor, data) if rank % 2 else (data, tensor):       # bug: ranks differ
//         dist.all_reduce(x[g], group=g)
//     for g in (tensor, data): dist.all_reduce(x[g], group=g)        # cure: one order, and
//     # NCCL_LAUNCH_ORDER_IMPLICIT=1 torchrun train.py               # the GPU keeps it
// Seen in   NCCL's guide, "Using multiple NCCL communicators concurrently"; pytorch#48256 asks the
//           same of process groups

#include "scenarios/runtime/channel_pair.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 8;

// Two communicators of all ranks.
void two_communicators(Rank& rank, bool crossed, cudaStream_t second_stream) {
  const ChannelPair pair(rank, rank.stream(), second_stream);
  for (int step = 0; step < kSteps; ++step) {
    pair.reduce_both(step, crossed && rank.rank() % 2 == 1, [](const Channel&) {});
    pair.finish(step);
  }
  pair.close();
}

void same_order(Rank& rank) { two_communicators(rank, false, rank.stream()); }

// BUG: odd ranks enter the second one first; both are on one stream
void one_stream_crossed(Rank& rank) { two_communicators(rank, true, rank.stream()); }

// No collective waits behind another, as long as both kernels fit on the GPU side by side.
void own_streams(Rank& rank) { two_communicators(rank, true, open_stream()); }

// FIX: one order of calls, and each launch waits for the one before it, whatever their streams do
void host_order(Rank& rank) { two_communicators(rank, false, open_stream()); }

Expectation crossed(int ranks) {
  return streams_crossed(ranks, first_at(in_step(0)), second_at(in_step(0)));
}

// NCCL before 2.26 does not know the setting, so the streams race for the room.
Expectation ordered(int) {
  return completes().before(
      NCCL_VERSION(2, 26, 0),
      stall(Cause::none).or_on_real_nccl(Outcome::deadlock).or_on_real_nccl(Outcome::completes));
}

constexpr Setting kImplicitOrder{"NCCL_LAUNCH_ORDER_IMPLICIT", "1"};
constexpr Setting kRoomForOne{"GRIDLOCK_SIM_ROOM", "1"};  // a GPU whose SMs are taken

constexpr Variant kVariants[] = {
    {"same_order", control, "two communicators on one stream, the same order on all ranks",
     same_order},
    {"one_stream_crossed", broken, "odd ranks enter the second one first", one_stream_crossed,
     crossed},
    {"own_streams", remedy,
     "still crossed, each on a stream of its own: passes while the GPU has room for both",
     own_streams},
    Variant{"host_order", fix,
            "two streams and one order of calls, which NCCL_LAUNCH_ORDER_IMPLICIT=1 keeps",
            host_order, ordered}
        .with({kImplicitOrder, kRoomForOne}),
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "ranks enter two communicators in different orders",
    .variants = kVariants,
};
