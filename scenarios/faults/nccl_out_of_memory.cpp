// NCCL finds no device memory for its buffers, because the framework's cache has taken all of it.
//
// Lesson    NCCL allocates device memory for itself: for a communicator's buffers in its init, and
//           often more when it first connects. A caching allocator keeps what it has ever taken. If
//           it has the whole device by then, NCCL fails, although most of the cache may be unused.
// Watch     The rank says "unhandled cuda error", and only NCCL's log says "out of memory". The
//           framework's own figures show no lack. The others wait in their init, without an error.
// Cure      Make the communicators, and let them connect, before the cache grows. Or limit the
//           cache to less than the device, on all ranks.
// In PyTorch
//     model(batch); dist.all_reduce(x)          # bug: NCCL begins when the cache has everything
//     dist.init_process_group("nccl", device_id=device)            # cure: begins at once
//     torch.cuda.set_per_process_memory_fraction(0.9)              # or: leaves room
// Seen in   rwth-i6/returnn#1626 (NCCL has no memory after 100 steps), THUDM/slime#669 ("even when
//           there is memory")

#include <algorithm>

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;

// The last rank's cache takes so much of what is free on its device.
void fill_cache(const Rank& rank, std::size_t percent) {
  constexpr std::size_t kSmallest = 1024;
  if (!rank.is_last()) return;
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total));
  std::size_t missing = free / 100 * percent;
  // Free memory has gaps, so a part that does not fit is halved.
  for (std::size_t part = missing; part >= kSmallest; part = std::min(part, missing)) {
    void* memory = nullptr;
    if (cudaMalloc(&memory, part) == cudaSuccess) {
      missing -= part;
    } else {
      static_cast<void>(cudaGetLastError());  // clears the error, which is not sticky
      part /= 2;
    }
  }
}

Channel open_world(Rank& rank) {
  const Label here("communicator/init");
  return open_channel(rank, "world");
}

void train(Rank& rank, const Channel& channel) {
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    train_step(rank, channel, step);
    rank.report().step_done();
  }
  close_communicator(channel.communicator);
}

void no_cache(Rank& rank) { train(rank, open_world(rank)); }

void cache_first(Rank& rank) {
  fill_cache(rank, 100);  // BUG: takes what NCCL needs
  train(rank, open_world(rank));
}

void communicator_first(Rank& rank) {
  const Channel channel = open_world(rank);  // FIX: takes its memory, and connects
  fill_cache(rank, 100);
  train(rank, channel);
}

void leave_room(Rank& rank) {
  fill_cache(rank, 50);  // FIX: a limit below the device's memory
  train(rank, open_world(rank));
}

// The others may learn of it when the sockets of the last rank close (src/bootstrap.cc of NCCL
// 2.28.9). Over a network, its memory may suffice for the init and not for the connections.
Expectation others_wait_in_init(int ranks) {
  return stall(Cause::init)
      .culprits({ranks - 1})
      .waiting(all_but(ranks, ranks - 1), {"communicator/init", Operation::comm_init})
      .or_on_real_nccl(Outcome::fails)
      .or_on_real_nccl(Outcome::deadlock)
      .loosely_on_real_nccl();
}

constexpr Variant kVariants[] = {
    {"no_cache", control, "nobody else takes memory", no_cache},
    {"cache_first", broken, "the last rank's cache has the whole device before NCCL's init",
     cache_first, others_wait_in_init},
    {"communicator_first", fix, "NCCL has its memory before the cache grows", communicator_first},
    {"leave_room", fix, "the cache is limited to a part of the device", leave_room},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "NCCL finds no device memory, because a cache has taken all of it",
    .variants = kVariants,
};
