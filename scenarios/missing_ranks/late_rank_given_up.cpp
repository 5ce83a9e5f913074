// A rank loses a step, and the others do not wait for it: they end the step and repeat it.
//
// Lesson    Nobody has died. The last rank's loader has thrown, so it does not come to a collective
//           that the others have called already. To repeat the step, all ranks need a communicator
//           without this collective. ncclCommAbort ends it and frees the communicator. In NCCL
//           2.28.7, ncclCommRevoke ends it and nothing else: the handle stays, its streams go on,
//           and the program frees it when it likes. The job needs a way beside NCCL to hear of the
//           lost step: a store, a socket, a launcher.
// Watch     An NCCL before 2.28.7 has no ncclCommRevoke. Under Gridlock the call then returns
//           ncclInvalidUsage, and a line of output says why. Without Gridlock, the loader ends the
//           program at the call: "undefined symbol".
// Cure      Revoke if ncclGetVersion says 2.28.7 or later, otherwise abort. Then make a new
//           communicator, and repeat the step.
// In PyTorch
//     except LoaderError: pass         # bug: the others wait in this step's all-reduce
//     store.set("lost", step)          # cure: tell them; every rank then aborts and begins anew
//     dist.distributed_c10d._abort_process_group(); dist.init_process_group("nccl")
//     # PyTorch has no spelling for a revoke
// Seen in   nccl.h (ncclCommRevoke), from 2.28.7 on: 2.28.3 has none

#include <nccl.h>

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;
constexpr int kLostStep = 2;

// Ends what a rank has called on the communicator.
using GiveUp = void (*)(ncclComm_t communicator);

void train(Rank& rank, GiveUp give_up) {
  Channel channel = open_channel(rank, "world");
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    if (step == kLostStep) {
      if (!rank.is_last()) all_reduce(channel, "gradients", 1);
      rank.rendezvous().exchange(rank.is_last() ? 1 : 0);  // all hear of the lost step
      give_up(channel.communicator);
      check(cudaStreamSynchronize(channel.stream));
      channel.communicator = open_communicator(rank, "again");
    }
    train_step(rank, channel, step);
    rank.report().step_done();
  }
  close_communicator(channel.communicator);
}

void abort(ncclComm_t communicator) {
  const Label label("abort");
  check(ncclCommAbort(communicator));
}

void revoke(ncclComm_t communicator) {
  const Label label("revoke");
  check(ncclCommRevoke(communicator, 0));
  check(ncclCommDestroy(communicator));
}

void aborted(Rank& rank) { train(rank, abort); }  // FIX
void revoked(Rank& rank) { train(rank, revoke); }

Expectation needs_revoke(int ranks) {
  return completes().before(NCCL_VERSION(2, 28, 7), fails().culprits(all_ranks(ranks)));
}

constexpr Variant kVariants[] = {
    {"aborted", fix, "all ranks abort, make a communicator, and repeat the step", aborted},
    {"revoked", remedy, "they revoke it instead, and then destroy it: needs NCCL 2.28.7", revoked,
     needs_revoke},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a rank loses a step, and all ranks repeat it on a new communicator",
    .variants = kVariants,
};
