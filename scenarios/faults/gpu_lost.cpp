// A GPU falls off the bus in the middle of a step.
//
// Lesson    A lost device (Xid 79) fails every call of its own rank, at once and for good. The
//           other devices are healthy: their collectives wait for the lost one, and neither CUDA
//           nor NCCL tells them. No call of the program brings the device back.
// Watch     The rank says "unknown error" at whatever call comes next, which has nothing to do with
//           the cause. The kernel's log has the cause (dmesg: Xid 79, and the bus address). If the
//           rank catches the error and goes on, each of its later calls fails in the same way.
// Cure      The rank must end, at once, with a sentence that names its device. The others ask NCCL
//           and somebody outside NCCL who is left, make a new communicator, and repeat the
//           interrupted step. Drain the node: after a restart the device may be missing.
// In PyTorch
//     except RuntimeError: torch.cuda.empty_cache(); continue    # bug: the device is gone for good
//     torchrun --max-restarts 3 train.py         # ends all ranks, but starts on the same devices
//     torchrun --nnodes 3:4 --max-restarts 3 train.py         # cure: goes on without the bad node
// Seen in   NVIDIA/nccl#968 and #1063 (one GPU of many stops, all others wait in NCCL),
//           deepspeedai/DeepSpeed#4648 ("CUDA error: unknown error" in the watchdog)

#include <cstdio>

#include "scenarios/scenario.h"
#include "scenarios/training/recovery/survivors.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 8;
constexpr int kBadStep = 3;
// The second bucket of that step begins with this launch: three make the connections, and a step
// has seven (two kernels and an all-reduce for each of two buckets, and the update).
constexpr std::string_view kLost = "lost:*@launch=28";

void train(Rank& rank, TinyTraining& training) {
  for (int step = 0; step < kSteps; ++step) {
    reduce_both(training);
    training.update();
    rank.wait_for(rank.stream());
    rank.report().step_done();
  }
  training.verify(kSteps, kBadStep);
  close_communicator(training.communicator);
}

void nothing_lost(Rank& rank) {
  TinyTraining training(rank);
  train(rank, training);
}

void ends_alone(Rank& rank) {
  TinyTraining training(rank);
  train(rank, training);  // BUG: the rank's error ends it, and the others ask nobody
}

void reset_alone(Rank& rank) {
  TinyTraining training(rank);
  try {
    train(rank, training);
  } catch (const CallError& error) {
    std::printf("warning: %s\n", error.what());
    check(cudaDeviceReset());  // BUG: works after an illegal address, but no device is there
    train(rank, training);
  }
}

// FIX: the others notice that a rank has ended, and go on
void go_on_without_it(Rank& rank) { train_with_survivors(rank, kSteps, kBadStep); }

Expectation others_wait(int ranks) {
  return one_has_left(ranks, ranks - 1, second_bucket_in(kBadStep));
}
Expectation only_it_fails(int ranks) { return fails().culprits({ranks - 1}); }

constexpr Variant kVariants[] = {
    {"nothing_lost", control, "the same loop on healthy devices", nothing_lost},
    Variant{"ends_alone", broken, "the last rank's device is lost, and its next call ends the rank",
            ends_alone, others_wait}
        .with_fault(kLost),
    Variant{"reset_alone", remedy, "the rank resets its device, which fails as every call does",
            reset_alone, others_wait}
        .with_fault(kLost),
    Variant{"go_on_without_it", fix, "the others make a new communicator and repeat the step",
            go_on_without_it, only_it_fails}
        .with_fault(kLost),
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a GPU is lost in the middle of a step, and the other ranks wait for it",
    .variants = kVariants,
};
