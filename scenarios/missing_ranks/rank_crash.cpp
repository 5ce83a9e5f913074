// A rank dies in the middle of a step.
//
// Lesson    A collective cannot lose a member. The dead rank's peers stand in their next all-reduce
//           and are told nothing by it: the kernel spins, the host waits for the stream. NCCL
//           notices the broken connection, but only says so to who asks (ncclCommGetAsyncError).
// Watch     Those who hang are healthy, and the one to blame is not there any more. Its exit code
//           or signal is in the launcher's log, often long before the time-out that the others die
//           of.
// Cure      Poll the async error where the host would wait, and abort: that ends the hang. To go
//           on, agree on who is left, shrink the communicator (NCCL 2.27), undo the torn step and
//           repeat it.
// In PyTorch
//     TORCH_NCCL_ASYNC_ERROR_HANDLING=0 srun python train.py    # bug: nobody asks, nobody reaps
//     torchrun --max-restarts 3 train.py                        # cure: ends all and starts again,
//     state = torch.load("last.pt")                             #       from the last checkpoint
// Seen in   NVIDIA/nccl#140 (the polling loop), #279 (within one host NCCL may notice nothing: then
//           the launcher, which reaps the dead, must say it)

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/gradients.h"
#include "kernels/sgd.h"
#include "scenarios/runtime/buffer.h"
#include "scenarios/runtime/label.h"
#include "scenarios/runtime/rank.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 8;
constexpr int kBadStep = 3;
constexpr std::size_t kBuckets = 2;
constexpr std::size_t kCount = 256;  // parameters of a bucket
constexpr float kRate = 0.25F;

enum class End { none, sigkill, sigsegv, exit_code };

[[noreturn]] void die(End how) {
  if (how == End::exit_code) _exit(1);
  const rlimit no_core{};
  setrlimit(RLIMIT_CORE, &no_core);
  const int signal = how == End::sigkill ? SIGKILL : SIGSEGV;
  ::signal(signal, SIG_DFL);
  raise(signal);
  _exit(2);  // not reached
}

// The smallest training there is: each rank pulls the parameters towards its own number, so they
// tend to the mean of the members' numbers. Two buckets, each with its all-reduce.
struct Training {
  explicit Training(Rank& of)
      : rank(of),
        communicator(open_communicator(of, "world")),
        members(all_ranks(of.world_size())),
        weights(kBuckets * kCount, of.stream()),
        gradients(kBuckets * kCount, of.stream()),
        host(kBuckets * kCount) {
    reduce_bucket(0);  // connects
    rank.wait_for(rank.stream());
    rank.report().begin_steps();
  }

  static float target(int of_rank) { return static_cast<float>(1 + of_rank); }

  // gradient = mean over the members of (weight - target)
  [[gnu::noinline]] void reduce_bucket(std::size_t bucket) const {
    const Label label("gradients/bucket");
    float* mine = gradients.data() + bucket * kCount;
    const float share = 1.0F / static_cast<float>(members.size());
    check(kernels::launch_fill(mine, kCount, -share * target(rank.rank()), rank.stream()));
    check(kernels::launch_gradient_accumulate(weights.data() + bucket * kCount, kCount, share, mine,
                                              rank.stream()));
    check(ncclAllReduce(mine, mine, kCount, ncclFloat32, ncclSum, communicator, rank.stream()));
  }

  // Nothing of a step reaches the weights before all its buckets are there.
  void update() const {
    check(kernels::launch_sgd(weights.data(), gradients.data(), nullptr, kBuckets * kCount, kRate,
                              0, rank.stream()));
  }

  Rank& rank;
  ncclComm_t communicator;
  std::vector<int> members;  // ranks of the job
  Buffer<float> weights;
  Buffer<float> gradients;
  PinnedBuffer<float> host;
};

// The buckets of a step; the last rank dies between the two.
void reduce(Training& training, int step, End end) {
  training.reduce_bucket(0);
  const bool dies = training.rank.is_last() && step == kBadStep;
  if (dies && end != End::none) {
    training.rank.wait_for(training.rank.stream());
    die(end);
  }
  training.reduce_bucket(1);
}

// Compares with the same training computed on the host: all ranks up to the bad step, then
// `members`.
void verify(Training& training, int steps = kSteps) {
  double weight = 0;
  for (int step = 0; step < steps; ++step) {
    const int size = training.rank.world_size();
    const auto members = step < kBadStep ? all_ranks(size) : training.members;
    double gradient = 0;
    for (const int member : members) gradient += weight - Training::target(member);
    weight -= kRate * gradient / static_cast<double>(members.size());
  }
  check(cudaMemcpyAsync(training.host.data(), training.weights.data(), training.weights.bytes(),
                        cudaMemcpyDeviceToHost, training.rank.stream()));
  training.rank.wait_for(training.rank.stream());
  double error = 0;
  for (std::size_t i = 0; i < training.host.size(); ++i) {
    error = std::max(error, std::abs(training.host[i] - weight));
  }
  training.rank.report().numbers(
      error < 1e-5, "max error " + std::to_string(error) + " (allowed 1e-5), against one process");
  // A rank that died hides a rank whose numbers are wrong: say it in a way that cannot be missed.
  if (error >= 1e-5) die(End::sigsegv);
}

void train(Rank& rank, End end) {
  Training training(rank);
  for (int step = 0; step < kSteps; ++step) {
    reduce(training, step, end);  // BUG: one rank dies in it, and nobody asks
    training.update();
    rank.wait_for(rank.stream());
    rank.report().step_done();
  }
  verify(training);
  close_communicator(training.communicator);
}

void nobody_dies(Rank& rank) { train(rank, End::none); }
void killed(Rank& rank) { train(rank, End::sigkill); }
void segmentation_fault(Rank& rank) { train(rank, End::sigsegv); }
void exits_with_error(Rank& rank) { train(rank, End::exit_code); }

// Waits for the stream and for bad news.
//   Returns  what NCCL says
//   Blocks   until the stream is done or a member is lost
ncclResult_t wait_or_error(Training& training) {
  ncclResult_t error = ncclSuccess;
  while (cudaStreamQuery(training.rank.stream()) == cudaErrorNotReady) {
    check(ncclCommGetAsyncError(training.communicator, &error));
    if (error != ncclSuccess) return error;
    usleep(100);
  }
  return ncclSuccess;
}

void abort_and_leave(Rank& rank) {
  Training training(rank);
  for (int step = 0; step < kSteps; ++step) {
    reduce(training, step, End::sigkill);
    if (wait_or_error(training) != ncclSuccess) {  // FIX: asks, instead of waiting for ever
      check(ncclCommAbort(training.communicator));
      verify(training, step);  // the weights are those of the last whole step
      throw std::runtime_error("a peer died in step " + std::to_string(step) +
                               ": aborted; start again from the last checkpoint.");
    }
    training.update();
    rank.report().step_done();
  }
}

// The members that are left, in a communicator of their own. The torn step is ended by the shrink.
void shrink_to_survivors(Training& training) {
  const std::vector<int> left = training.rank.rendezvous().survivors();
  std::vector<int> lost;
  for (std::size_t at = 0; at < training.members.size(); ++at) {
    if (std::find(left.begin(), left.end(), training.members[at]) == left.end()) {
      lost.push_back(static_cast<int>(at));
    }
  }
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  config.commName = "survivors";
  ncclComm_t smaller = nullptr;
  check(ncclCommShrink(training.communicator, lost.data(), static_cast<int>(lost.size()), &smaller,
                       &config, NCCL_SHRINK_ABORT));
  check(ncclCommAbort(training.communicator));
  training.communicator = smaller;
  training.members = left;
}

void shrink_and_go_on(Rank& rank) {
  Training training(rank);
  for (int step = 0; step < kSteps; ++step) {
    reduce(training, step, End::sigkill);
    if (wait_or_error(training) != ncclSuccess) {
      shrink_to_survivors(training);  // FIX: go on with those who are left
      reduce(training, step, End::none);
      check(cudaStreamSynchronize(rank.stream()));
    }
    training.update();  // only now: a torn step never reaches the weights
    rank.wait_for(rank.stream());
    rank.report().step_done();
  }
  rank.report().figure("ranks_left", static_cast<double>(training.members.size()));
  verify(training);
  close_communicator(training.communicator);
}

// Two all-reduces a step, one to connect, and bucket 0 of the bad step.
constexpr int kTornSlot = 1 + static_cast<int>(kBuckets) * kBadStep + 1;

Expectation others_wait(int ranks) {
  return one_has_left(
      ranks, ranks - 1,
      {"gradients/bucket", Operation::all_reduce, "world", kTornSlot, "reduce_bucket"});
}

// The rank that was killed is the only one that ends badly, or those who abort besides. By NCCL
// 2.28's sources only a dead rank's neighbours may notice anything over sockets, and a shrink gets
// the error that they noticed: the others then wait for ever, or fail.
Expectation ends_by_itself(int ranks) {
  return crashes().culprits({ranks - 1}).or_on(Backend::cuda, Outcome::stall);
}

constexpr Variant kVariants[] = {
    {"nobody_dies", control, "the same loop, and nobody dies", nobody_dies},
    {"killed", broken, "the last rank is killed (SIGKILL) between two buckets", killed,
     others_wait},
    {"segmentation_fault", broken, "the last rank dies of SIGSEGV between two buckets",
     segmentation_fault, others_wait},
    {"exits_with_error", broken, "the last rank exits with code 1 between two buckets",
     exits_with_error, others_wait},
    {"abort_and_leave", fix, "the others ask for the async error, abort and end with a sentence",
     abort_and_leave, ends_by_itself},
    {"shrink_and_go_on", fix, "the others shrink to those who are left and finish training",
     shrink_and_go_on, ends_by_itself},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a rank dies in the middle of a step, the others wait for it",
    .variants = kVariants,
};
