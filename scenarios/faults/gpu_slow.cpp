// One GPU is ten times slower than the others.
//
// Lesson    Every collective waits for the slowest rank, so all ranks take its time. A slow device
//           (hot, capped, or on a bad link) is not a hang: nothing is stuck, nothing fails, and
//           no time-out is exceeded.
// Watch     All ranks are equally slow per step. On the healthy ranks the time is spent in the
//           all-reduce, as if the network were at fault; the slow rank alone does not wait there.
// Cure      Measure what no other rank can delay: the rank's own kernels, between two events. Take
//           the shortest of several steps, and compare it between ranks. A rank far from the median
//           has the slow device. Go on without it, and drain it.
// In PyTorch
//     step_time = time.time() - began                         # bug: the same on all ranks
//     start.record(); loss = forward(batch); end.record()     # cure: own kernels only
//     dist.all_gather_object(times, start.elapsed_time(end))  # and compare the ranks
// Seen in   NVIDIA/nccl#968 (which GPU is the culprit? All show the same), NVIDIA/nccl#1063

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "kernels/updates/gradients.h"
#include "scenarios/runtime/channel.h"
#include "scenarios/scenario.h"

using namespace gridlock;

namespace {

constexpr int kProbes = 12;                            // steps that are measured
constexpr int kSteps = 6;                              // after them
constexpr std::int64_t kWork = std::int64_t{1} << 20;  // floats
constexpr double kSuspicious = 4;                      // times the median
constexpr std::string_view kSlow = "slow:*:10";

struct Job {
  Channel channel;
  Buffer<float> work;
  cudaEvent_t began = nullptr;
  cudaEvent_t ended = nullptr;
};

Job start(Rank& rank) {
  Job job{open_channel(rank, "world"), Buffer<float>(2 * kWork, rank.stream())};
  check(cudaEventCreate(&job.began));
  check(cudaEventCreate(&job.ended));
  rank.report().begin_steps();
  return job;
}

// This rank's own kernels of a step.
//   Returns  their time on the device in milliseconds
//   Blocks   until they are done, which no other rank can delay
float compute(Rank& rank, const Job& job) {
  float* work = job.work.data();
  check(cudaEventRecord(job.began, rank.stream()));
  for (int layer = 0; layer < 4; ++layer) {
    check(kernels::launch_gradient_accumulate(work, kWork, 0.5F, work + kWork, rank.stream()));
  }
  check(cudaEventRecord(job.ended, rank.stream()));
  rank.wait_for(rank.stream());
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, job.began, job.ended));
  return milliseconds;
}

void train(Rank& rank) {
  const Job job = start(rank);
  for (int step = 0; step < kProbes + kSteps; ++step) {
    compute(rank, job);
    train_step(rank, job.channel, step);
    rank.report().step_done();
  }
  close_communicator(job.channel.communicator);
}

void all_alike(Rank& rank) { train(rank); }
void one_is_slow(Rank& rank) { train(rank); }

// The ranks whose kernels take far longer than the median rank's.
//   Collective, Blocks  over the rendezvous
std::vector<int> slow_ranks(Rank& rank, float shortest) {
  std::vector<double> times;
  for (const std::string& text : rank.rendezvous().exchange(std::to_string(shortest))) {
    times.push_back(std::stod(text));
  }
  std::vector<double> sorted = times;
  std::sort(sorted.begin(), sorted.end());
  const double median = sorted[(sorted.size() - 1) / 2];
  rank.report().figure("times_the_median", shortest / median);
  return ranks_where(rank.world_size(), [&](int one) {
    return times[static_cast<std::size_t>(one)] > kSuspicious * median;
  });
}

// Every rank finds the same ones.
void leave_out_the_slow(Rank& rank) {
  Job job = start(rank);
  float shortest = std::numeric_limits<float>::max();
  for (int step = 0; step < kProbes; ++step) {
    shortest = std::min(shortest, compute(rank, job));
    train_step(rank, job.channel, step);
  }
  const std::vector<int> slow = slow_ranks(rank, shortest);
  const bool leaves = std::find(slow.begin(), slow.end(), rank.rank()) != slow.end();
  if (leaves) std::printf("rank %d is slow: drain its device.\n", rank.rank());
  const ncclComm_t rest =  // FIX: goes on without it
      split_communicator(job.channel.communicator, leaves ? NCCL_SPLIT_NOCOLOR : 0, "rest");
  close_communicator(job.channel.communicator);
  rank.report().numbers(slow == std::vector{rank.world_size() - 1},
                        "the last rank is the slow one");
  if (leaves) return;
  job.channel.communicator = rest;
  rank.report().begin_steps();
  for (int step = 0; step < kSteps; ++step) {
    compute(rank, job);
    all_reduce(job.channel, "gradients", static_cast<float>(rank.rank() + step));
    const bool right = read(rank, job.channel) == sum_over_ranks(rank.world_size() - 1, step);
    rank.report().numbers(right, "sums of small integers, exact");
    rank.report().step_done();
  }
  close_communicator(rest);
}

constexpr Variant kVariants[] = {
    {"all_alike", control, "the same loop on equal devices", all_alike},
    Variant{"one_is_slow", control,
            "the last rank's device is slow: all are slow, and none is stuck", one_is_slow}
        .with_fault(kSlow),
    Variant{"leave_out_the_slow", fix,
            "the ranks compare their kernels' times and go on without it", leave_out_the_slow}
        .with_fault(kSlow)
        .against("one_is_slow"),
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "one GPU is ten times slower than the others, and slows all ranks down",
    .variants = kVariants,
};
