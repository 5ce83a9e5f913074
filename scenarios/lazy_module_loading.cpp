// The first launch of a kernel, beside a collective that waits.
//
// Lesson    With lazy loading (CUDA's default) a kernel is loaded when it is first launched, and
// loading may
//           wait until the device is idle. A first launch is then a hidden synchronize; where ranks
//           enter two communicators in different order, that is all a deadlock needs.
// Watch     It hangs in the first step only, in a launch, and no synchronize is to be found. With
// the kernel
//           loaded before (by an earlier run of the same code, by a profiler, by a test) it is
//           gone. No CUDA call is recorded as waiting, so this is a stall and not a proven
//           deadlock.
// Cure      Launch every kernel once before communication begins, or start with
// CUDA_MODULE_LOADING=EAGER.
//           The same order of collectives on all ranks cures it as well.
// Seen in   openxla/xla#38932 (a rendezvous around first collective calls); Mooncake#1755 (a first
// kernel
//           beside one that spins); torchcomms#2334 (a minimal deadlock)
//
// The simulation has no modules. The verdicts below are declared from CUDA's documentation; no run
// has confirmed them yet.

#include "kernels/relu.h"
#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

enum class Load { early, at_first_launch };

// A kernel that nothing else in this program launches. On a stream and with data of its own.
[[gnu::noinline]] void launch_new_kernel(const Buffer<float>& data, cudaStream_t stream) {
  const Label label("activation/relu");
  check(kernels::launch_relu_forward(data.data(), kChannelCount, data.data(), stream));
}

// Even ranks enter the first communicator first, odd ranks the second, each on a stream of its own.
void crossed(Rank& rank, Load load, bool launches) {
  const Channel first = open_channel(rank, "first");
  const Channel second = open_channel(rank, "second");
  const cudaStream_t stream = open_stream();
  const Buffer<float> data(kChannelCount, stream);
  if (load == Load::early) launch_new_kernel(data, stream);
  rank.wait_for(stream);
  rank.report().begin_steps();
  const bool swap = rank.rank() % 2 == 1;
  const auto mine = static_cast<float>(rank.rank());
  all_reduce(swap ? second : first, swap ? "second/all_reduce" : "first/all_reduce", mine);
  if (launches) launch_new_kernel(data, stream);
  all_reduce(swap ? first : second, swap ? "first/all_reduce" : "second/all_reduce", mine);
  const float sum = sum_over_ranks(rank.world_size(), 0);
  rank.report().numbers(read(rank, first) == sum && read(rank, second) == sum, "exact sums");
  rank.report().step_done();
  close_communicator(first.communicator);
  close_communicator(second.communicator);
}

void no_kernel(Rank& rank) { crossed(rank, Load::at_first_launch, false); }

// BUG: loading the kernel waits for the collective, whose other half comes behind the peer's load
void first_launch_between(Rank& rank) { crossed(rank, Load::at_first_launch, true); }

void loaded_early(Rank& rank) { crossed(rank, Load::early, true); }  // FIX

Expectation all_load(int ranks) {
  return stall(Cause::host_stuck)
      .or_on(Backend::cuda,
             Outcome::completes)  // where the driver can load beside a running kernel
      .culprits(all_ranks(ranks))
      .waiting_in("first/all_reduce")
      .operation(Operation::all_reduce)
      .on("first")
      .at_slot(kFirstSlot)
      .called_from("all_reduce")
      .by(ranks_where(ranks, [](int rank) { return rank % 2 == 0; }));
}
Expectation all_well(int) { return completes(); }

constexpr const char* kGpu = "the simulation loads no modules";

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "the first launch of a kernel waits for a collective on another stream",
    .claims = {},
    .ranks = 4,
    .variants =
        {
            {"no_kernel", Role::control, "crossed order on two streams, and nothing between",
             no_kernel, all_well, 2, 16, "", kGpu},
            {"first_launch_between", Role::broken,
             "a kernel is launched for the first time between the two", first_launch_between,
             all_load, 2, 16, "", kGpu},
            {"loaded_early", Role::fix, "the same kernel was launched once before", loaded_early,
             all_well, 2, 16, "", kGpu},
        },
};
