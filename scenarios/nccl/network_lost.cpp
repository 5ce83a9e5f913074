// The network is lost, and NCCL is told so: its plugin's test() returns an error.
//
// Lesson    The program does what NCCL's documents ask: it polls ncclCommGetAsyncError, sees the
//           error, and aborts the communicator. Before 2.26.2 NCCL was wrong here. The thread that
//           moves data over the network passed the error on and kept the operation, so it asked
//           for the same message again, for ever. ncclCommAbort waits until this thread has
//           nothing to do. The error that the program had seen did not help it.
// Watch     The log says which error came, and that the rank aborts. Then nothing: the rank hangs
//           in its cure, and a thread of NCCL uses a whole core.
// Cure      NCCL 2.26.2, which drops an operation that has failed and ends the thread. Before: end
//           the process instead of the communicator.
// In PyTorch
//     TORCH_NCCL_ASYNC_ERROR_HANDLING=1 torchrun train.py    # aborts: NCCL's bug before 2.26.2
//     TORCH_NCCL_ASYNC_ERROR_HANDLING=3 torchrun train.py    # cure: ends the process, no abort
// Seen in   NCCL's release notes, 2.26.2 (a network plugin whose test() fails); progressOps and
//           ncclProxyProgress in src/proxy.cc, where 2.25.1 goes on and 2.26.2 removes the operation

#include <nccl.h>

#include <cstdlib>
#include <stdexcept>

#include "scenarios/nccl/network_plugin.h"
#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

// NCCL looks for this name in the program.
extern "C" const network::Plugin ncclNetPlugin_v8;
const network::Plugin ncclNetPlugin_v8 = network::kPlugin;

namespace {

constexpr int kSteps = 4;

Channel train(Rank& rank) {
  check(setenv("NCCL_NET_PLUGIN", "STATIC_PLUGIN", 1) == 0 ? ncclSuccess : ncclSystemError);
  Channel channel = open_channel(rank, "world");
  if (!network::chosen) throw CannotRunHere("needs an NCCL that takes a program's own network");
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    train_step(rank, channel, step);
    rank.report().step_done();
  }
  return channel;
}

// After some steps, no message arrives on any rank any more.
Channel lose_network(Rank& rank) {
  Channel channel = train(rank);
  network::cut = true;
  rank.rendezvous().exchange(0);
  all_reduce(channel, "gradients", 1);
  ncclResult_t error = ncclSuccess;
  while (error == ncclSuccess) check(ncclCommGetAsyncError(channel.communicator, &error));
  return channel;
}

void trains(Rank& rank) { close_communicator(train(rank).communicator); }

void aborts(Rank& rank) {
  const Channel channel = lose_network(rank);
  const Label label("abort");
  check(ncclCommAbort(channel.communicator));
}

void leaves(Rank& rank) {
  lose_network(rank);
  // FIX: main leaves by _Exit, which needs no thread of NCCL
  throw std::runtime_error("the network is lost: leaving without an abort");
}

Expectation hangs_before_2_26_2(int) {
  return completes().before(NCCL_VERSION(2, 26, 2),
                            stall(Cause::none).or_on_real_nccl(Outcome::deadlock));
}

constexpr FixedList<Setting, 2> kNetworkOnly{{"NCCL_P2P_DISABLE", "1"}, {"NCCL_SHM_DISABLE", "1"}};

constexpr Variant kVariants[] = {
    Variant{"works", control, "the network works", trains}.with(kNetworkOnly),
    Variant{"aborts", remedy, "test() fails, and the ranks abort: needs NCCL 2.26.2", aborts,
            hangs_before_2_26_2}
        .with(kNetworkOnly),
    Variant{"leaves", fix, "test() fails, and the processes end without an abort", leaves, all_fail}
        .with(kNetworkOnly),
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "the network fails, and an abort waits for a message that never comes",
    .variants = kVariants,
};
