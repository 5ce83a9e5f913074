// A kernel touches an illegal address, and the rank catches the error and goes on.
//
// Lesson    An illegal address is not the error of one call. From then on, every call of the
//           process on this device returns the same error, kernels no longer run, and collectives
//           no longer begin. CUDA's guide says that the process must end and be started again.
// Watch     A kernel fails later than it is launched, so the error appears at an innocent call: the
//           next launch, the all-reduce, the synchronization. The others' collectives wait, without
//           an error. NCCL says "unhandled cuda error", on the failed rank only.
// Cure      Never catch a sticky error: end the process. (compute-sanitizer, or a run with
//           CUDA_LAUNCH_BLOCKING=1, then names the kernel.) The others notice that the rank has
//           ended, make a new communicator, and repeat the interrupted step.
// In PyTorch
//     except RuntimeError as error: log(error); continue         # bug: skips one batch, then all
//     except torch.AcceleratorError: os._exit(1)                 # cure: end, and let torchrun or
//     # torchrun --max-restarts 3 train.py                       # the others go on
// Seen in   vllm-project/vllm#4108 and InternLM/lmdeploy#3258 (the watchdog of one rank reports it)

#include <cstdio>

#include "scenarios/scenario.h"
#include "scenarios/training/recovery/survivors.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 8;
constexpr int kBadStep = 3;
// The first kernel for the second bucket of that step: three launches make the connections, and a
// step has seven.
constexpr std::string_view kIllegal = "illegal_address:*@launch=28";

void train_step(Rank& rank, const TinyTraining& training) {
  reduce_both(training);
  training.update();
  rank.wait_for(rank.stream());
  rank.report().step_done();
}

void addresses_are_right(Rank& rank) {
  TinyTraining training(rank);
  for (int step = 0; step < kSteps; ++step) train_step(rank, training);
  training.verify(kSteps, kBadStep);
  close_communicator(training.communicator);
}

void catch_and_go_on(Rank& rank) {
  TinyTraining training(rank);
  for (int step = 0; step < kSteps; ++step) {
    try {
      train_step(rank, training);
    } catch (const CallError& error) {
      std::printf("warning: skips step %d: %s\n", step, error.what());  // BUG: it skips all
    }
  }
  training.verify(kSteps, kBadStep);
  close_communicator(training.communicator);
}

// FIX: the error ends its rank, and the others go on
void end_at_once(Rank& rank) { train_with_survivors(rank, kSteps, kBadStep); }

Expectation others_wait(int ranks) {
  return one_has_left(ranks, ranks - 1, second_bucket_in(kBadStep));
}
Expectation only_it_fails(int ranks) { return fails().culprits({ranks - 1}); }

constexpr Variant kVariants[] = {
    {"addresses_are_right", control, "the same loop, and no kernel fails", addresses_are_right},
    Variant{"catch_and_go_on", broken, "the last rank catches the error, and gets it again",
            catch_and_go_on, others_wait}
        .with_fault(kIllegal),
    Variant{"end_at_once", fix, "the rank ends; the others go on with a new communicator",
            end_at_once, only_it_fails}
        .with_fault(kIllegal),
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a kernel touches an illegal address, and the rank goes on without its device",
    .variants = kVariants,
};
