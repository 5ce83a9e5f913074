// A kernel never ends, and holds its stream for ever.
//
// Lesson    The collectives of a stream wait behind its kernels. If one of these never ends, the
//           rank does not reach its next all-reduce, and all others wait there. CUDA limits the
//           time of a kernel only on a GPU with a display.
// Watch     Nothing fails, on no rank, ever: no CUDA error, and no asynchronous error of NCCL. All
//           GPUs show 100 % use: the others' wait in NCCL's kernel, and the culprit's runs its own.
//           A time-out on the collective ends all ranks, and accuses those that wait.
// Cure      Limit what no other rank can delay. Once a step's collectives are done, only the rank's
//           own kernels remain on its stream: if they exceed the limit, this rank is to blame. It
//           says so and ends, because nothing but its end frees the device. The others make a new
//           communicator and repeat the step.
// In PyTorch
//     optimizer.step(); torch.cuda.synchronize()                 # bug: may never return
//     done = torch.cuda.Event(); optimizer.step(); done.record()
//     while not done.query():                                    # cure: a limit on own work only
//         if time.monotonic() > limit: os._exit(1)
// Seen in   NVIDIA/nccl#1063 (29 of 30 GPUs wait in NCCL, and one is in another operation),
//           NVIDIA/nccl#968 (which GPU is to blame?)

#include <stdexcept>

#include "scenarios/runtime/label.h"
#include "scenarios/scenario.h"
#include "scenarios/training/recovery/survivors.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 8;
constexpr int kBadStep = 3;
// The update in the step before, which is the last kernel ahead of the bad step: three launches
// make the connections, and a step has seven.
constexpr std::string_view kHang = "hang:*@launch=24";
constexpr std::chrono::milliseconds kLimit(400);  // a healthy rank needs microseconds

enum class Waits { each_step, at_the_end };

void train(Rank& rank, Waits waits) {
  TinyTraining training(rank);
  for (int step = 0; step < kSteps; ++step) {
    reduce_both(training);
    training.update();
    const Label here("step/wait");
    if (waits == Waits::each_step) rank.wait_for(rank.stream());  // BUG: without a limit
    rank.report().step_done();
  }
  rank.wait_for(rank.stream());
  training.verify(kSteps, kBadStep);
  close_communicator(training.communicator);
}

void all_end(Rank& rank) { train(rank, Waits::each_step); }
void wait_each_step(Rank& rank) { train(rank, Waits::each_step); }
void run_ahead(Rank& rank) { train(rank, Waits::at_the_end); }

// No other rank can delay this wait, because the step's collectives are done.
//   Errors  std::runtime_error if this rank's own kernels take too long
//   Blocks  at most for the limit
void await_own_kernels(const TinyTraining& training) {
  if (is_done(training, Asks::nccl, kLimit)) return;
  int device = 0;
  check(cudaGetDevice(&device));
  throw std::runtime_error("device " + std::to_string(device) +
                           " has not finished a kernel within " + std::to_string(kLimit.count()) +
                           " ms: drain it.");
}

void limit_own_kernels(Rank& rank) {
  TinyTraining training(rank);
  for (int step = 0; step < kSteps; ++step) {
    reduce_both(training);
    const bool is_whole = training.members.size() == static_cast<std::size_t>(rank.world_size());
    if (!is_done(training, is_whole ? Asks::nccl_and_peers : Asks::nccl)) {
      repeat_step_with(training, rank.rendezvous().survivors());
    }
    training.update();
    await_own_kernels(training);  // FIX: a limit that only this rank can exceed
    rank.report().step_done();
  }
  training.verify(kSteps, kBadStep);
  close_communicator(training.communicator);
}

Place next_bucket() {
  return {"gradients/bucket", Operation::all_reduce, "world", first_in_step(kBadStep),
          "reduce_bucket"};
}

Expectation waits_for_its_kernel(int ranks) {
  return stall(Cause::device_stuck)
      .culprits({ranks - 1})
      .waiting(all_but(ranks, ranks - 1), next_bucket())
      .waiting({ranks - 1}, {"step/wait", Operation::stream_synchronize, "", {}, "wait_for"});
}
Expectation queued_behind_its_kernel(int ranks) {
  return stall(Cause::device_stuck).culprits({ranks - 1}).waiting(all_ranks(ranks), next_bucket());
}
Expectation only_it_fails(int ranks) { return fails().culprits({ranks - 1}); }

constexpr Variant kVariants[] = {
    {"all_end", control, "the same loop, and all kernels end", all_end},
    Variant{"wait_each_step", broken, "the last rank's host waits for the kernel", wait_each_step,
            waits_for_its_kernel}
        .with_fault(kHang),
    Variant{"run_ahead", broken, "its later all-reduces are queued behind the kernel", run_ahead,
            queued_behind_its_kernel}
        .with_fault(kHang),
    Variant{"limit_own_kernels", fix,
            "each rank limits its own kernels; the one that exceeds the limit ends",
            limit_own_kernels, only_it_fails}
        .with_fault(kHang),
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a kernel never ends, and the rank's all-reduces wait behind it",
    .variants = kVariants,
};
