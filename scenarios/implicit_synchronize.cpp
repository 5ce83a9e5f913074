// Calls that wait for the device without saying so, between two collectives in crossed order.
//
// Lesson    cudaFree, cudaMalloc, a copy from or to pageable memory and work on the legacy default
//           stream wait for the device as cudaDeviceSynchronize does, or make streams wait for each
//           other. Where ranks enter two communicators in different order that is all a deadlock
//           needs.
// Watch     No synchronize is to be found in the program. The allocation may sit in a growing
// buffer or a
//           caching allocator, so that it happens once in a thousand steps, and only on one rank.
//           With the default stream no host waits at all before the loss is read.
// Cure      Stream-ordered allocation, pinned memory with asynchronous copies, non-blocking
// streams; or
//           the same order of collectives on all ranks, which needs none of them.
// Seen in   NVIDIA/nccl#48 (cudaFreeHost beside an all-reduce); pytorch#50925 (cudaFree beside
// NCCL);
//           onnxruntime#5430 (cudaMemcpy between a send and a receive)

#include <vector>

#include "kernels/gradients.h"
#include "scenarios/runtime/channel.h"
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
  const Channel first = open_channel(rank, "first", first_stream);
  const Channel second = open_channel(rank, "second", second_stream);
  const bool swap = rank.rank() % 2 == 1;
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    const auto mine = static_cast<float>(rank.rank() + step);
    const Channel& earlier = swap ? second : first;
    const Channel& later = swap ? first : second;
    all_reduce(earlier, swap ? "second/all_reduce" : "first/all_reduce", mine);
    if (step == kOddStep) between(earlier);
    all_reduce(later, swap ? "first/all_reduce" : "second/all_reduce", mine);
    const float sum = sum_over_ranks(rank.world_size(), step);
    rank.report().numbers(read(rank, first) == sum && read(rank, second) == sum,
                          "sums of small integers, exact");
    rank.report().step_done();
  }
  close_communicator(first.communicator);
  close_communicator(second.communicator);
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

std::vector<int> even_ranks(int ranks) {
  return ranks_where(ranks, [](int rank) { return rank % 2 == 0; });
}
std::vector<int> odd_ranks(int ranks) {
  return ranks_where(ranks, [](int rank) { return rank % 2 == 1; });
}

Expectation& waits(Expectation& whole, const char* channel, const char* label, Operation operation,
                   std::vector<int> ranks) {
  return whole.waiting_in(label)
      .operation(operation)
      .on(channel)
      .at_slot(kFirstSlot + kOddStep)
      .called_from("all_reduce")
      .by(std::move(ranks));
}

// The host waits in `operation` for the collective that the streams wait in. One more even rank
// than odd ones: most are in the first communicator, and the odd ones are not there.
Expectation host_waits(int ranks, Operation operation) {
  Expectation whole = ranks % 2 == 0 ? deadlock(Cause::cycle).culprits(all_ranks(ranks))
                                     : deadlock(Cause::missing_rank).culprits(odd_ranks(ranks));
  waits(whole, "first", "first/all_reduce", operation, even_ranks(ranks));
  return waits(whole, "second", "second/all_reduce", operation, odd_ranks(ranks));
}

// CUDA says "may" of these two.
Expectation waits_in_free(int ranks) {
  return host_waits(ranks, Operation::device_free).or_on(Backend::cuda, Outcome::completes);
}
Expectation waits_in_malloc(int ranks) {
  return host_waits(ranks, Operation::device_malloc).or_on(Backend::cuda, Outcome::completes);
}
Expectation waits_in_copy(int ranks) { return host_waits(ranks, Operation::memcpy_sync); }

// Both collectives have been called; only the streams stand in each other's way.
Expectation streams_wait(int ranks) {
  Expectation whole = deadlock(Cause::cycle).culprits(fewer_or_all(ranks, odd_ranks(ranks)));
  waits(whole, "first", "first/all_reduce", Operation::all_reduce, even_ranks(ranks));
  return waits(whole, "second", "second/all_reduce", Operation::all_reduce, odd_ranks(ranks));
}

Expectation all_well(int) { return completes(); }

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "calls that wait for the device without saying so, in place of a synchronize",
    .claims = {"A1"},
    .ranks = 4,
    .variants =
        {
            {"nothing_between", Role::control,
             "crossed order on two streams, and nothing between: completes", nothing_between,
             all_well},
            {"free_between", Role::broken, "cudaFree between the two collectives", free_between,
             waits_in_free},
            {"malloc_between", Role::broken, "cudaMalloc between the two collectives",
             malloc_between, waits_in_malloc},
            {"pageable_copy_between", Role::broken,
             "cudaMemcpy to pageable memory between the two collectives", pageable_copy_between,
             waits_in_copy},
            {"default_stream_between", Role::broken,
             "a kernel on the legacy default stream between the two collectives",
             default_stream_between, streams_wait},
            {"stream_ordered_allocation", Role::fix, "cudaMallocAsync and cudaFreeAsync instead",
             stream_ordered_allocation, all_well},
            {"pinned_copy", Role::fix, "an asynchronous copy to pinned memory instead", pinned_copy,
             all_well},
            {"non_blocking_streams", Role::fix,
             "the kernel stays on the default stream, the others do not order with it",
             non_blocking_streams, all_well},
        },
};
