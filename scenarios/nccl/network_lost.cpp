// A rank loses the network, and NCCL is told so: its plugin's test() returns an error.
//
// Lesson    The program does what NCCL's documents ask: it polls ncclCommGetAsyncError, sees the
//           error, and aborts the communicator. NCCL was wrong here in two ways. From 2.23 on, the
//           thread that moves data over the network passed the error on and kept the operation. So
//           it asked for the same message again, for ever, and ncclCommAbort waited for this
//           thread. 2.26.2 drops an operation that has failed, but lost the error: no rank is told.
// Watch     Up to 2.25: the log says which error came, and that the rank aborts. Then nothing; a
//           thread of NCCL uses a whole core. In 2.26 and 2.27: nothing at all.
// Cure      NCCL 2.28. Before: a time-out of one's own beside the poll, and then end the process
//           instead of the communicator.
// In PyTorch
//     TORCH_NCCL_ASYNC_ERROR_HANDLING=1 torchrun train.py    # aborts: NCCL's bug before 2.26.2
//     TORCH_NCCL_ASYNC_ERROR_HANDLING=3 torchrun train.py    # cure: at the time-out, the process
//                                                            #       ends without an abort
// Seen in   NCCL's release notes, 2.26.2 (a network plugin whose test() fails); progressOps and
//           ncclProxyProgress in src/proxy.cc: 2.25.1 keeps the operation, 2.26.2 removes it and
//           returns ncclSuccess, 2.28.9 returns the error; NVIDIA/nccl#1822 (an InfiniBand card)

#include <nccl.h>
#include <unistd.h>

#include <chrono>
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
  if (read_environment().local_world_size != rank.world_size()) {
    throw CannotRunHere("needs all ranks on one host, which its network joins");
  }
  setenv("NCCL_NET_PLUGIN", "STATIC_PLUGIN", 1);
  setenv("NCCL_NET", network::kPlugin.name, 1);  // ranks that share a GPU get "Socket"
  Channel channel = open_channel(rank, "world");
  rank.rendezvous().exchange(0);  // nobody leaves while others still make the first collective
  if (!network::chosen) throw CannotRunHere("needs an NCCL that takes a program's own network");
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    train_step(rank, channel, step);
    rank.report().step_done();
  }
  return channel;
}

void abort(const Channel& channel) {
  const Label label("abort");
  check(ncclCommAbort(channel.communicator));
}

// After some steps, the last rank is cut off. It polls until NCCL says so.
Channel lose_last_rank(Rank& rank, std::chrono::seconds at_most) {
  Channel channel = train(rank);
  network::cut = rank.is_last();
  all_reduce(channel, "gradients", 1);
  const auto end = std::chrono::steady_clock::now() + at_most;
  ncclResult_t error = ncclSuccess;
  while (rank.is_last() && error == ncclSuccess && std::chrono::steady_clock::now() < end) {
    check(ncclCommGetAsyncError(channel.communicator, &error));
    usleep(100);
  }
  return channel;
}

void trains(Rank& rank) { close_communicator(train(rank).communicator); }

// Over the rendezvous, the others hear that the last rank is out.
void aborts(Rank& rank) {
  const Channel channel = lose_last_rank(rank, std::chrono::hours(1));
  if (rank.is_last()) abort(channel);
  rank.rendezvous().exchange(0);
  if (!rank.is_last()) abort(channel);
}

void leaves(Rank& rank) {
  lose_last_rank(rank, std::chrono::seconds(2));  // FIX: a time-out, and
  rank.rendezvous().exchange(0);
  // FIX: main leaves by _Exit, which needs no thread of NCCL
  throw std::runtime_error("the last rank has no network: leaving without an abort");
}

// The others wait in poll for the last rank. Up to 2.22, the network's thread looked at the abort
// flag in the same loop, so the abort returned.
Expectation wrong_before_2_28(int ranks) {
  return completes()
      .before(NCCL_VERSION(2, 23, 0), completes())
      .before(
          NCCL_VERSION(2, 26, 2),
          stall(Cause::host_stuck)
              .or_on_real_nccl(Outcome::deadlock)
              .waiting({ranks - 1}, {.label = "abort", .communicator = "world", .caller = "abort"}))
      .before(NCCL_VERSION(2, 28, 0), stall(Cause::host_stuck));
}

constexpr FixedList<Setting, 2> kNetworkOnly{{"NCCL_P2P_DISABLE", "1"}, {"NCCL_SHM_DISABLE", "1"}};

constexpr Variant kVariants[] = {
    Variant{"works", control, "the network works", trains}.with(kNetworkOnly),
    Variant{"aborts", remedy, "one rank's test() fails, and it aborts: needs NCCL 2.28", aborts,
            wrong_before_2_28}
        .with(kNetworkOnly),
    Variant{"leaves", fix, "one rank's test() fails, and at a time-out all end without an abort",
            leaves, all_fail}
        .with(kNetworkOnly),
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a network plugin fails, and an abort waits for a message that never comes",
    .variants = kVariants,
};
