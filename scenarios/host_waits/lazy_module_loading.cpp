// A kernel is launched for the first time while a collective waits on another stream.
//
// Lesson    With lazy loading (CUDA's default) the first launch of a kernel loads it, and loading
//           may wait until the device is idle. So a first launch is a hidden synchronize. It
//           completes a deadlock if ranks enter two communicators in different orders.
// Watch     The job hangs only in its first step, in a kernel launch, and contains no synchronize.
//           The hang is gone as soon as something has already loaded the kernel: an earlier run of
//           the same code, a profiler, a test. Nothing outside CUDA shows why the launch lasts, so
//           the proof names the assumption that it waits for the device. NCCL's kernels are no
//           exception: on an H100 the first broadcast beside a running all-reduce (ring, Simple)
//           waited in ncclBroadcast, because it needs more local memory or for a like reason.
// Cure      Give all ranks the same order of collectives; that is enough. Launching every kernel
//           before communication begins, or eager loading, only removes the hidden wait. The
//           crossed order stays, and passes only while the GPU has room for both collectives
//           (NCCL's guide).
// In PyTorch
//     dist.all_reduce(x[g[0]], group=g[0], async_op=True)  # g: reversed on half of the ranks
//     torch.relu(x)                                       # bug: launched for the first time here
//     g = [first, second]                                 # cure: one order for all ranks
//     torch.relu(x); torch.cuda.synchronize()             # partial: before communication begins
//     # or: CUDA_MODULE_LOADING=EAGER torchrun train.py
// Seen in   openxla/xla#38932 (a rendezvous around first collective calls); Mooncake#1755 (a first
//           kernel beside one that spins); torchcomms#2334 (a minimal deadlock)
//
// On the simulation, clang compiles the kernel, and its first launch always waits for the device.
// CUDA documents only that loading may wait.

#include "kernels/layers/relu.h"
#include "scenarios/runtime/channel_pair.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

enum class Load { early, at_first_launch };

// Nothing else in this program launches this kernel. It has its own stream and data.
[[gnu::noinline]] void launch_new_kernel(const Buffer<float>& data, cudaStream_t stream) {
  const Label label("activation/relu");
  check(kernels::launch_relu_forward(data.data(), kChannelCount, data.data(), stream));
}

// Each of the two communicators has its own stream. If the order is crossed, odd ranks enter the
// second one first.
void run(Rank& rank, bool crossed, Load load, bool launches = true) {
  const ChannelPair pair(rank);
  const cudaStream_t stream = open_stream();
  const Buffer<float> data(kChannelCount, stream);
  if (load == Load::early) launch_new_kernel(data, stream);
  rank.wait_for(stream);
  pair.reduce_both(0, crossed && rank.rank() % 2 == 1, [&](const Channel&) {
    if (launches) launch_new_kernel(data, stream);
  });
  pair.finish(0);
  pair.close();
}

void no_kernel(Rank& rank) { run(rank, true, Load::at_first_launch, false); }

// BUG: the load waits for the collective, and the peer enters that collective after its own load
void first_launch_between(Rank& rank) { run(rank, true, Load::at_first_launch); }

void loaded_early(Rank& rank) { run(rank, true, Load::early); }

void same_order(Rank& rank) { run(rank, false, Load::at_first_launch); }  // FIX

// If the driver can load beside a running kernel, it completes.
Expectation all_load(int ranks) {
  return hosts_crossed(ranks, first_at(in_step(0)), second_at(in_step(0)))
      .or_on(Backend::cuda, Outcome::completes);
}

constexpr Variant kVariants[] = {
    Variant{"no_kernel", remedy,
            "still crossed, no launch between: passes while the GPU has room for both", no_kernel}
        .with_device_code(),
    Variant{"first_launch_between", broken,
            "a kernel is launched for the first time between the two", first_launch_between,
            all_load}
        .with_device_code(),
    Variant{"same_order", fix, "the first launch stays, and all ranks use one order", same_order}
        .with_device_code(),
    Variant{"loaded_early", remedy,
            "still crossed, the kernel launched once before: passes while the GPU has room",
            loaded_early}
        .with_device_code(),
    Variant{"loaded_eagerly", remedy,
            "still crossed, CUDA_MODULE_LOADING=EAGER: passes while the GPU has room",
            first_launch_between}
        .with_device_code()
        .with({{"CUDA_MODULE_LOADING", "EAGER"}}),
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "the first launch of a kernel waits for a collective on another stream",
    .variants = kVariants,
};
