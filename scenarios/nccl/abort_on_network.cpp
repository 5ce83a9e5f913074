// A rank aborts a communicator whose network transfer will never end.
//
// Lesson    ncclCommAbort is made for ranks whose peers do not come. From 2.23 to 2.26.1 NCCL was
//           wrong here: the thread that moves data over the network went on while any transfer was
//           open, even after an abort, and ncclCommAbort waited for this thread. Over the memory of
//           one node no such thread is needed, and the abort returned.
// Watch     The time-out fires and the log says that the rank aborts. Then nothing: the rank hangs
//           in its cure, and a thread of NCCL uses a whole core.
// Cure      NCCL 2.26.2, whose thread looks at the abort flag, as up to 2.22. Between: end the
// process instead of
//           the communicator. Its connections end with it, and with them the peers' transfers.
// In PyTorch
//     dist.distributed_c10d._abort_process_group()    # NCCL's bug from 2.23 on
//     os._exit(1)                                     # cure, where NCCL cannot be upgraded
// Seen in   NCCL's release notes, 2.26.2 (abort spins on network progress); ncclProxyProgress in
//           src/proxy.cc: 2.23 takes abortFlag out of the condition of its loop, 2.26.2 puts it
//           back

#include <nccl.h>

#include <stdexcept>

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;

void abort(const Channel& channel) {
  const Label label("abort");
  check(ncclCommAbort(channel.communicator));
}

// After some steps, the last rank does not come. Over the rendezvous, it tells the others.
Channel lose_last_rank(Rank& rank) {
  Channel channel = open_channel(rank, "world");
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    train_step(rank, channel, step);
    rank.report().step_done();
  }
  if (!rank.is_last()) all_reduce(channel, "gradients", 1);
  rank.rendezvous().exchange(0);
  return channel;
}

void aborts(Rank& rank) {
  const Channel channel = lose_last_rank(rank);
  if (!rank.is_last()) abort(channel);
  rank.rendezvous().exchange(0);  // the last rank's connections stay open until the others are out
  if (rank.is_last()) abort(channel);
}

void leaves(Rank& rank) {
  lose_last_rank(rank);
  // FIX: main leaves by _Exit, which needs no thread of NCCL
  throw std::runtime_error("the last rank does not come: leaving without an abort");
}

Expectation hangs_before_2_26_2(int) {
  return completes()
      .before(NCCL_VERSION(2, 23, 0), completes())
      .before(
          NCCL_VERSION(2, 26, 2),
          stall(Cause::none).or_on_real_nccl(Outcome::deadlock).or_on_real_nccl(Outcome::fails));
}

constexpr FixedList<Setting, 2> kNetworkOnly{{"NCCL_P2P_DISABLE", "1"}, {"NCCL_SHM_DISABLE", "1"}};

constexpr Variant kVariants[] = {
    {"over_memory", control, "the ranks abort, and share memory", aborts},
    Variant{"over_network", remedy, "the ranks abort, over sockets: needs NCCL 2.26.2", aborts,
            hangs_before_2_26_2}
        .with(kNetworkOnly),
    Variant{"leaves", fix, "the processes end without an abort, over sockets", leaves, all_fail}
        .with(kNetworkOnly),
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "an abort waits for a network transfer that never ends",
    .variants = kVariants,
};
