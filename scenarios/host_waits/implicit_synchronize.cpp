// Between two collectives in crossed order, a call implicitly waits for the device.
//
// Lesson    cudaMalloc and cudaFree may wait for the whole device. A copy from or to pageable
//           memory blocks the host. Work on the legacy default stream waits for all blocking
//           streams, and they wait for it. Any of these completes a deadlock if ranks enter two
//           communicators in different orders.
// Watch     The program contains no synchronize. The allocation may be inside a growing buffer or a
//           caching allocator, so it may happen once in a thousand steps, and on one rank only.
//           With the default stream, no host waits before it reads the loss.
// Cure      Give all ranks the same order of collectives; that is enough. Stream-ordered
//           allocation, pinned memory with asynchronous copies, and non-blocking streams only
//           remove the wait. The crossed order stays, and passes only while the GPU has room for
//           both collectives (NCCL's guide).
// In PyTorch
//     history.append(metric.cpu())                            # bug: a pageable copy waits
//     torch.cuda.empty_cache()                                # bug: cudaFree
//     for g in (first, second): dist.all_reduce(x[g], group=g)     # cure: one order for all ranks
//     history[i].copy_(metric, non_blocking=True)             # partial: pinned memory
//     # PYTORCH_CUDA_ALLOC_CONF=backend:cudaMallocAsync       # partial: no wait
// Seen in   NVIDIA/nccl#48 (cudaFreeHost beside an all-reduce); pytorch#50925 (cudaFree beside
//           NCCL); onnxruntime#5430 (cudaMemcpy between a send and a receive); CUDA's guide,
//           "Implicit Synchronization"

#include <vector>

#include "kernels/updates/gradients.h"
#include "scenarios/runtime/channel_pair.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kOddStep = 3;  // the step with the call in between

cudaStream_t open_blocking_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));  // orders with the legacy default stream
  return stream;
}

// Each of the two communicators has its own stream. If the order is crossed, odd ranks enter the
// second one first. In one step `between` runs between the two.
template <typename Between>
void run_loop(Rank& rank, bool crossed, cudaStream_t first_stream, cudaStream_t second_stream,
              Between between) {
  const ChannelPair pair(rank, first_stream, second_stream);
  for (int step = 0; step < kSteps; ++step) {
    pair.reduce_both(step, crossed && rank.rank() % 2 == 1, [&](const Channel& earlier) {
      if (!crossed) pair.chain(earlier);
      if (step == kOddStep) between(earlier);
    });
    pair.finish(step);
  }
  pair.close();
}

template <typename Between>
void on_blocking_streams(Rank& rank, Between between, bool crossed = true) {
  run_loop(rank, crossed, open_blocking_stream(), open_blocking_stream(), between);
}

void nothing(const Channel&) {}

void same_order(Rank& rank) { on_blocking_streams(rank, nothing, false); }
void nothing_between(Rank& rank) { on_blocking_streams(rank, nothing); }

void free_workspace(Rank& rank, bool crossed) {
  void* workspace = nullptr;
  check(cudaMalloc(&workspace, 1 << 20));
  const auto free = [&](const Channel&) {
    const Label label("workspace/free");
    check(cudaFree(workspace));  // BUG: if orders cross, it waits for the collective before it
  };
  on_blocking_streams(rank, free, crossed);
}
void free_between(Rank& rank) { free_workspace(rank, true); }
void free_in_same_order(Rank& rank) { free_workspace(rank, false); }  // FIX: one order of calls

void malloc_between(Rank& rank) {
  on_blocking_streams(rank, [](const Channel&) {
    const Label label("workspace/grow");
    void* workspace = nullptr;
    check(cudaMalloc(&workspace, 1 << 20));  // BUG: may wait for the collective before it
  });
}

void pageable_copy_between(Rank& rank) {
  on_blocking_streams(rank, [](const Channel& earlier) {
    const Label label("metric/copy");
    std::vector<float> metric(kChannelCount);
    // BUG: waits for the default stream, which waits for all blocking streams
    check(cudaMemcpy(metric.data(), earlier.data.data(), earlier.data.bytes(),
                     cudaMemcpyDeviceToHost));
  });
}

// Launches a kernel without naming a stream.
void fill_on_default_stream(float* scratch) {
  const Label label("scratch/fill");
  check(kernels::launch_fill(scratch, kChannelCount, 0.0F, nullptr));
}

void default_stream_between(Rank& rank) {
  const Buffer<float> scratch(kChannelCount, nullptr);
  // BUG: it runs after all earlier work on blocking streams, and before all their later work
  on_blocking_streams(rank, [&](const Channel&) { fill_on_default_stream(scratch.data()); });
}

void non_blocking_streams(Rank& rank) {
  const Buffer<float> scratch(kChannelCount, nullptr);
  // The default stream does not order with these streams.
  run_loop(rank, true, open_stream(), open_stream(),
           [&](const Channel&) { fill_on_default_stream(scratch.data()); });
}

void stream_ordered_allocation(Rank& rank) {
  on_blocking_streams(rank, [](const Channel& earlier) {
    void* workspace = nullptr;
    check(cudaMallocAsync(&workspace, 1 << 20, earlier.stream));  // neither makes the host wait
    check(cudaFreeAsync(workspace, earlier.stream));
  });
}

void pinned_copy(Rank& rank) {
  const PinnedBuffer<float> metric(kChannelCount);
  on_blocking_streams(rank, [&](const Channel& earlier) {
    // Copies to pinned memory on the collective's own stream. The host reads it after the step.
    check(cudaMemcpyAsync(metric.data(), earlier.data.data(), earlier.data.bytes(),
                          cudaMemcpyDeviceToHost, earlier.stream));
  });
}

// The host waits in `operation` for the collective in which the streams wait.
Expectation host_waits(int ranks, Operation operation) {
  constexpr int kSlot = in_step(kOddStep);
  return hosts_crossed(ranks, first_at(kSlot, operation), second_at(kSlot, operation));
}

// CUDA says only that these two calls may wait.
Expectation waits_in_free(int ranks) {
  return host_waits(ranks, Operation::device_free).or_on(Backend::cuda, Outcome::completes);
}
Expectation waits_in_malloc(int ranks) {
  return host_waits(ranks, Operation::device_malloc).or_on(Backend::cuda, Outcome::completes);
}
Expectation waits_in_copy(int ranks) { return host_waits(ranks, Operation::memcpy_sync); }

// Both collectives have been called.
Expectation streams_wait(int ranks) {
  return streams_crossed(ranks, first_at(in_step(kOddStep)), second_at(in_step(kOddStep)));
}

constexpr Variant kVariants[] = {
    {"same_order", control, "one order on two streams, and nothing between", same_order},
    {"nothing_between", remedy,
     "still crossed, nothing between: passes while the GPU has room for both", nothing_between},
    {"free_between", broken, "cudaFree between the two collectives", free_between, waits_in_free},
    {"malloc_between", broken, "cudaMalloc between the two collectives", malloc_between,
     waits_in_malloc},
    {"pageable_copy_between", broken, "cudaMemcpy to pageable memory between the two collectives",
     pageable_copy_between, waits_in_copy},
    {"default_stream_between", broken,
     "a kernel on the legacy default stream between the two collectives", default_stream_between,
     streams_wait},
    {"free_in_same_order", fix, "cudaFree stays, and all ranks use one order", free_in_same_order},
    {"stream_ordered_allocation", remedy,
     "still crossed, cudaMallocAsync and cudaFreeAsync: passes while the GPU has room",
     stream_ordered_allocation},
    {"pinned_copy", remedy,
     "still crossed, asynchronous copy to pinned memory: passes while the GPU has room",
     pinned_copy},
    {"non_blocking_streams", remedy,
     "still crossed, streams independent of the default one: passes while the GPU has room",
     non_blocking_streams},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "calls wait for the device without saying so, like a synchronize",
    .claims = {"A1"},
    .variants = kVariants,
};
