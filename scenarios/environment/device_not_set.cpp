// Ranks on one machine use the same device.
//
// Lesson    The current device of a new thread is device 0. Everything that a rank creates before
//           cudaSetDevice(local rank) is on that device: contexts, streams, memory, and
//           communicators, which remember their device.
// Watch     NCCL refuses two ranks of a communicator on one device, and names both, so this bug is
//           loud on those two. The other ranks go on and wait for them inside the init. If a rank
//           sets its device too late, everything that it created before stays on the wrong device.
//           Ranks that share one GPU on purpose, each with its own host name for NCCL, are not
//           refused.
// Cure      Call cudaSetDevice(LOCAL_RANK) before anything else.
// In PyTorch
//     dist.init_process_group("nccl"); dist.barrier()          # bug: all ranks are on cuda:0
//     torch.cuda.set_device(local_rank)                        # cure: before all else
//     dist.init_process_group("nccl", device_id=torch.device("cuda", local_rank))     # tell NCCL
// Seen in   NVIDIA/Megatron-LM#661 (duplicate GPU at the first barrier); PyTorch's warning "using
//           GPU 0 to perform barrier as devices used by this process are currently unknown"

#include "scenarios/runtime/channel.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;

int own_device(const Rank& rank) { return rank.local_rank() % device_count(); }

void train(Rank& rank, ncclComm_t world, cudaStream_t stream) {
  const Channel channel{world, stream, Buffer<float>(kChannelCount, stream),
                        PinnedBuffer<float>(1)};
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    train_step(rank, channel, step);
    rank.report().step_done();
  }
  close_communicator(world);
}

void set_first(Rank& rank) {
  check(cudaSetDevice(own_device(rank)));  // FIX: before anything is created
  const ncclComm_t world = open_communicator(rank, "world");
  train(rank, world, open_stream());
}

// A device can be the wrong one only if each rank has its own. Ranks that share a GPU on purpose
// have different host names for NCCL, so NCCL does not refuse them.
void need_own_devices(const Rank& rank) {
  device_count(rank.world_size(), "where ranks share a GPU anyhow, no device is the wrong one");
}

void never_set(Rank& rank) {
  need_own_devices(rank);
  check(cudaSetDevice(0));  // BUG: the device of a program that never chooses one
  const ncclComm_t world = open_communicator(rank, "world");
  train(rank, world, open_stream());
}

void set_after_init(Rank& rank) {
  need_own_devices(rank);
  check(cudaSetDevice(0));
  const ncclComm_t world = open_communicator(rank, "world");
  check(cudaSetDevice(own_device(rank)));  // BUG: the communicator is on device 0
  train(rank, world, open_stream());
}

void one_rank_too_low(Rank& rank) {
  need_own_devices(rank);
  // BUG: the last rank takes its neighbor's device
  check(cudaSetDevice(own_device(rank) - (rank.is_last() ? 1 : 0)));
  const ncclComm_t world = open_communicator(rank, "world");
  train(rank, world, open_stream());
}

// Only the two that share it are refused. The others connect to them and wait (src/init.cc and
// src/misc/socket.cc of NCCL 2.28.9) until somebody ends them.
Expectation two_fail(int ranks) {
  return all_fail(ranks)
      .or_on_real_nccl(Outcome::deadlock)
      .or_on_real_nccl(Outcome::stall)
      .loosely_on_real_nccl();
}

constexpr Variant kVariants[] = {
    {"set_first", fix, "the device is set before anything is made", set_first},
    {"never_set", broken, "all ranks are on device 0", never_set, all_fail},
    {"set_after_init", broken, "the device is set after the communicator is made", set_after_init,
     all_fail},
    {"one_rank_too_low", broken, "two of the ranks share a device", one_rank_too_low, two_fail},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "ranks of one machine use the same device",
    .claims = {"E1"},
    .variants = kVariants,
};
