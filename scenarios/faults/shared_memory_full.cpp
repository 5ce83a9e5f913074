// NCCL finds no room in /dev/shm, as in a container that was started without --shm-size.
//
// Lesson    NCCL has files in /dev/shm: 34 MB for a rank's proxy thread, and some megabytes for a
//           connection between ranks that reach each other neither by NVLink nor by PCIe. A
//           container has 64 MB by default, and loaders take their share. The rank for whose file
//           no room is left fails in its init, or in the first collective, which connects. The
//           others wait for it.
// Watch     The rank says "unhandled system error", and only NCCL's log says "No space left on
//           device". `df /dev/shm` shows it, also after a job that was killed and left its files.
// Cure      Give the container room (--shm-size, --ipc=host), or remount its /dev/shm. To forbid
//           NCCL shared memory (NCCL_SHM_DISABLE=1) saves what the connections need, and not the
//           proxy's file, so it does not help where everything is full.
// In PyTorch
//     docker run --gpus all IMAGE torchrun …                     # bug: 64 MB for all ranks
//     docker run --gpus all --ipc=host IMAGE torchrun …          # cure
// Seen in   NVIDIA/nccl#290, #342 and #525 (containers with 64 MB), llm-d/llm-d#352 (files of jobs
//           that crashed)

#include <sched.h>
#include <sys/mount.h>

#include "scenarios/runtime/channel.h"
#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 4;

// The last rank gets a /dev/shm of its own, with that much room, as its container's would be.
void limit_shared_memory(const Rank& rank, const char* room) {
  if (!rank.is_last()) return;
  const bool is_own = unshare(CLONE_NEWNS) == 0 &&
                      mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                      mount("tmpfs", "/dev/shm", "tmpfs", 0, room) == 0;
  if (!is_own) throw CannotRunHere("needs root, to give a rank a /dev/shm of its own");
}

Channel open_world(Rank& rank) {
  const Label here("communicator/init");
  return open_channel(rank, "world");
}

void train(Rank& rank) {
  const Channel channel = open_world(rank);
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    train_step(rank, channel, step);
    rank.report().step_done();
  }
  close_communicator(channel.communicator);
}

void has_room(Rank& rank) {
  limit_shared_memory(rank, "size=1g");
  train(rank);
}

void full(Rank& rank) {
  limit_shared_memory(rank, "size=64k");  // BUG: NCCL needs megabytes
  train(rank);
}

void remounted(Rank& rank) {
  limit_shared_memory(rank, "size=64k");
  // FIX: as `mount -o remount,size=1g /dev/shm` does
  if (rank.is_last()) mount("tmpfs", "/dev/shm", "tmpfs", MS_REMOUNT, "size=1g");
  train(rank);
}

// From 2.25 on, NCCL finds out when the first collective connects, or in the init if the ranks talk
// over sockets. Before, always in the init.
Expectation others_wait(int ranks) {
  return deadlock(Cause::rank_exited)
      .loosely_on_real_nccl()
      .culprits({ranks - 1})
      .before(NCCL_VERSION(2, 25, 0), deadlock(Cause::init).culprits({ranks - 1}));
}

constexpr std::string_view kOwn = "our own keeps nothing in /dev/shm";

constexpr Variant kVariants[] = {
    Variant{"has_room", control, "the last rank's container has 1 GB", has_room}.only_on_real_nccl(
        kOwn),
    Variant{"full", broken, "it has 64 kB: NCCL fails on that rank, and the others wait", full,
            others_wait}
        .only_on_real_nccl(kOwn),
    Variant{"without_shared_memory", remedy, "the same, and NCCL_SHM_DISABLE=1 on all ranks", full,
            others_wait}
        .with({{"NCCL_SHM_DISABLE", "1"}})
        .only_on_real_nccl(kOwn),
    Variant{"remounted", fix, "its /dev/shm is remounted with 1 GB before NCCL begins", remounted}
        .only_on_real_nccl(kOwn),
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "NCCL finds no room in /dev/shm on one rank",
    .variants = kVariants,
};
