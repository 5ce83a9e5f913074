// Ranks end right behind their last collective, and leave their communicators open.
//
// Lesson    Over a network, NCCL's kernel leaves what it sends to a thread of the host. For this
//           rank the collective is complete, its stream is at rest, and its numbers are right, but
//           the thread may not have sent all of it yet. If the process ends, the thread ends too.
//           The other ranks wait for ever, in a collective to which every rank has come.
// Watch     A job that always ended on one node sometimes hangs at its very end on several. The
//           rank that is to blame is gone, with exit code 0.
// Cure      ncclCommDestroy before the process ends: it waits until this rank's thread has sent
//           everything. A barrier instead is one more collective, and ends in the same way.
// In PyTorch
//     train(); sys.exit(0)                           # bug: it warns at exit
//     train(); dist.barrier(); sys.exit(0)           # no cure
//     train(); dist.destroy_process_group()          # cure
// Seen in   PyTorch's warning "destroy_process_group() was not called before program exit";
//           progressOps in src/proxy.cc and commDestroySync in src/init.cc of NCCL 2.28.9

#include "scenarios/runtime/channel.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;

Channel train(Rank& rank) {
  Channel channel = open_channel(rank, "world");
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    train_step(rank, channel, step);
    rank.report().step_done();
  }
  return channel;
}

void left_open(Rank& rank) { train(rank); }  // BUG: the process ends with the communicator open

void barrier_and_left_open(Rank& rank) {
  const Channel channel = train(rank);
  all_reduce(channel, "barrier", 1);  // BUG: who leaves it first takes data with it again
  read(rank, channel);
}

void destroyed(Rank& rank) {
  const Channel channel = train(rank);
  close_communicator(channel.communicator);  // FIX: waits until everything has been sent
}

// Our own NCCL sends nothing from the host. On the real one, whether the thread is done in time is
// a race (progressOps in src/proxy.cc).
Expectation may_hang_on_network(int) {
  return completes()
      .or_on_real_nccl(Outcome::stall)
      .or_on_real_nccl(Outcome::deadlock)
      .loosely_on_real_nccl();
}

constexpr FixedList<Setting, 2> kNetworkOnly{{"NCCL_P2P_DISABLE", "1"}, {"NCCL_SHM_DISABLE", "1"}};

constexpr Variant kVariants[] = {
    {"over_memory", control, "they share memory, and destroy their communicator", destroyed},
    Variant{"left_open", remedy, "over sockets, they just end: what is unsent is lost", left_open,
            may_hang_on_network}
        .with(kNetworkOnly),
    Variant{"barrier_and_left_open", remedy, "over sockets, a barrier before the end",
            barrier_and_left_open, may_hang_on_network}
        .with(kNetworkOnly),
    Variant{"destroyed", fix, "over sockets, they destroy their communicator first", destroyed}
        .with(kNetworkOnly),
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "ranks end behind their last collective without destroying their communicator",
    .variants = kVariants,
};
