// Calls that wait for the device without saying so, between two collectives in crossed order.
//
// Lesson    cudaFree, cudaMalloc, a copy from or to pageable memory and work on the legacy default
//           stream wait for the device as cudaDeviceSynchronize does, or make streams wait for each
//           other. Where ranks enter two communicators in different order a deadlock needs no more.
// Watch     No synchronize is to be found in the program. The allocation may sit in a growing
//           buffer or a caching allocator, so that it happens once in a thousand steps, and only on
//           one rank. With the default stream no host waits at all before the loss is read.
// Cure      Stream-ordered allocation, pinned memory with asynchronous copies, non-blocking
//           streams; or the same order of collectives on all ranks, which needs none of them.
// In PyTorch
//     history.append(metric.cpu())                            # bug: a pageable copy waits
//     torch.cuda.empty_cache()                                # bug: cudaFree
//     history[i].copy_(metric, non_blocking=True)             # cure: history in pinned memory
//     # cure: PYTORCH_CUDA_ALLOC_CONF=backend:cudaMallocAsync allocates in stream order
// Seen in   NVIDIA/nccl#48 (cudaFreeHost beside an all-reduce); pytorch#50925 (cudaFree beside
//           NCCL); onnxruntime#5430 (cudaMemcpy between a send and a receive)

#include <vector>

#include "kernels/gradients.h"
#include "scenarios/runtime/channel_pair.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 6;
constexpr int kOddStep = 3;  // where the call comes in between

cudaStream_t open_blocking_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreate(&stream));  // orders with the legacy default stream
  return stream;
}

// Even ranks enter the first communicator first, odd ranks the second, each on a stream of its own.
// In one step `between` comes between the two.
template <typename Between>
void crossed_loop(Rank& rank, cudaStream_t first_stream, cudaStream_t second_stream,
                  Between between) {
  const ChannelPair pair(rank, first_stream, second_stream);
  for (int step = 0; step < kSteps; ++step) {
    pair.reduce_both(step, rank.rank() % 2 == 1, [&](const Channel& earlier) {
      if (step == kOddStep) between(earlier);
    });
    pair.finish(step);
  }
  pair.close();
}

template <typename Between>
void on_blocking_streams(Rank& rank, Between between) {
  crossed_loop(rank, open_blocking_stream(), open_blocking_stream(), between);
}

void nothing_between(Rank& rank) {
  on_blocking_streams(rank, [](const Channel&) {});
}

void free_between(Rank& rank) {
  void* workspace = nullptr;
  check(cudaMalloc(&workspace, 1 << 20));
  on_blocking_streams(rank, [&](const Channel&) {
    const Label label("workspace/free");
    check(cudaFree(workspace));  // BUG: waits for the collective before it
  });
}

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
    // BUG: waits for the default stream, and that one for all blocking streams
    check(cudaMemcpy(metric.data(), earlier.data.data(), earlier.data.bytes(),
                     cudaMemcpyDeviceToHost));
  });
}

// A kernel launched without naming a stream.
void fill_on_default_stream(float* scratch) {
  const Label label("scratch/fill");
  check(kernels::launch_fill(scratch, kChannelCount, 0.0F, nullptr));
}

void default_stream_between(Rank& rank) {
  const Buffer<float> scratch(kChannelCount, nullptr);
  // BUG: it runs after all that is on blocking streams, and before all that comes to them later
  on_blocking_streams(rank, [&](const Channel&) { fill_on_default_stream(scratch.data()); });
}

void non_blocking_streams(Rank& rank) {
  const Buffer<float> scratch(kChannelCount, nullptr);
  // FIX: the same kernel beside streams that do not order with the default stream
  crossed_loop(rank, open_stream(), open_stream(),
               [&](const Channel&) { fill_on_default_stream(scratch.data()); });
}

void stream_ordered_allocation(Rank& rank) {
  on_blocking_streams(rank, [](const Channel& earlier) {
    void* workspace = nullptr;
    check(cudaMallocAsync(&workspace, 1 << 20, earlier.stream));  // FIX: neither waits on the host
    check(cudaFreeAsync(workspace, earlier.stream));
  });
}

void pinned_copy(Rank& rank) {
  const PinnedBuffer<float> metric(kChannelCount);
  on_blocking_streams(rank, [&](const Channel& earlier) {
    // FIX: pinned memory, on the collective's own stream; read when the step is over
    check(cudaMemcpyAsync(metric.data(), earlier.data.data(), earlier.data.bytes(),
                          cudaMemcpyDeviceToHost, earlier.stream));
  });
}

// The host waits in `operation` for the collective that the streams wait in.
Expectation host_waits(int ranks, Operation operation) {
  constexpr int kSlot = kFirstSlot + kOddStep;
  return hosts_crossed(ranks, first_at(kSlot, operation), second_at(kSlot, operation));
}

// CUDA says "may" of these two.
Expectation waits_in_free(int ranks) {
  return host_waits(ranks, Operation::device_free).or_on(Backend::cuda, Outcome::completes);
}
Expectation waits_in_malloc(int ranks) {
  return host_waits(ranks, Operation::device_malloc).or_on(Backend::cuda, Outcome::completes);
}
Expectation waits_in_copy(int ranks) { return host_waits(ranks, Operation::memcpy_sync); }

// Both collectives have been called.
Expectation streams_wait(int ranks) {
  return streams_crossed(ranks, first_at(kFirstSlot + kOddStep), second_at(kFirstSlot + kOddStep));
}

constexpr Variant kVariants[] = {
    {"nothing_between", control, "crossed order on two streams, and nothing between: completes",
     nothing_between},
    {"free_between", broken, "cudaFree between the two collectives", free_between, waits_in_free},
    {"malloc_between", broken, "cudaMalloc between the two collectives", malloc_between,
     waits_in_malloc},
    {"pageable_copy_between", broken, "cudaMemcpy to pageable memory between the two collectives",
     pageable_copy_between, waits_in_copy},
    {"default_stream_between", broken,
     "a kernel on the legacy default stream between the two collectives", default_stream_between,
     streams_wait},
    {"stream_ordered_allocation", fix, "cudaMallocAsync and cudaFreeAsync instead",
     stream_ordered_allocation},
    {"pinned_copy", fix, "an asynchronous copy to pinned memory instead", pinned_copy},
    {"non_blocking_streams", fix,
     "the kernel stays on the default stream, the others do not order with it",
     non_blocking_streams},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "calls that wait for the device without saying so, in place of a synchronize",
    .claims = {"A1"},
    .variants = kVariants,
};
