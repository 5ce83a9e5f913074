// The first launch of a kernel, beside a collective that waits.
//
// Lesson    With lazy loading (CUDA's default) a kernel is loaded when it is first launched, and
//           loading may wait until the device is idle. A first launch is then a hidden synchronize;
//           where ranks enter two communicators in different order, a deadlock needs no more.
// Watch     It hangs in the first step only, in a launch, and no synchronize is to be found. With
//           the kernel loaded before (by an earlier run of the same code, by a profiler, by a test)
//           it is gone. No CUDA call is recorded as waiting, so this is a stall and not a proven
//           deadlock.
// Cure      Launch every kernel once before communication begins, or load eagerly. The same order
//           of collectives on all ranks cures it as well.
// In PyTorch
//     dist.all_reduce(a, group=first, async_op=True)
//     torch.relu(x)                                       # bug: launched for the first time here
//     torch.relu(x); torch.cuda.synchronize()             # cure: before communication begins
//     # or: CUDA_MODULE_LOADING=EAGER torchrun train.py
// Seen in   openxla/xla#38932 (a rendezvous around first collective calls); Mooncake#1755 (a first
//           kernel beside one that spins); torchcomms#2334 (a minimal deadlock)
//
// The simulation has no modules. The verdicts below are declared from CUDA's documentation; no run
// has confirmed them yet.

#include "kernels/relu.h"
#include "scenarios/runtime/channel_pair.h"
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
  const ChannelPair pair(rank);
  const cudaStream_t stream = open_stream();
  const Buffer<float> data(kChannelCount, stream);
  if (load == Load::early) launch_new_kernel(data, stream);
  rank.wait_for(stream);
  pair.reduce_both(0, rank.rank() % 2 == 1, [&](const Channel&) {
    if (launches) launch_new_kernel(data, stream);
  });
  pair.finish(0);
  pair.close();
}

void no_kernel(Rank& rank) { crossed(rank, Load::at_first_launch, false); }

// BUG: loading the kernel waits for the collective, whose other half comes behind the peer's load
void first_launch_between(Rank& rank) { crossed(rank, Load::at_first_launch, true); }

void loaded_early(Rank& rank) { crossed(rank, Load::early, true); }  // FIX

Expectation all_load(int ranks) {
  return stall(Cause::host_stuck)
      .or_on(Backend::cuda, Outcome::completes)  // if the driver can load beside a running kernel
      .culprits(all_ranks(ranks))
      .waiting(even_ranks(ranks), first_at(kFirstSlot));
}

constexpr const char* kGpu = "the simulation loads no modules";

constexpr Variant kVariants[] = {
    Variant{"no_kernel", control, "crossed order on two streams, and nothing between", no_kernel}
        .only_on_gpu(kGpu),
    Variant{"first_launch_between", broken,
            "a kernel is launched for the first time between the two", first_launch_between,
            all_load}
        .only_on_gpu(kGpu),
    Variant{"loaded_early", fix, "the same kernel was launched once before", loaded_early}
        .only_on_gpu(kGpu),
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "the first launch of a kernel waits for a collective on another stream",
    .variants = kVariants,
};
