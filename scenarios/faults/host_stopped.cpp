// A rank's process is stopped (SIGSTOP) in the middle of a step.
//
// Lesson    A stopped process has not ended. Its sockets stay open and its memory stays mapped, so
//           nobody who asks "is it still there?" learns that it will not come. Only a question that
//           the process itself must answer shows it, and only with a limit.
// Watch     The others wait in NCCL, without an error. The launcher sees a living process. `ps`
//           shows its state: T. Debuggers, batch systems that suspend jobs, containers that are
//           frozen, and Ctrl-Z do this. On a GPU, kernels that were launched before still run.
// Cure      After a limit, ask every rank for a sign of life. A rank that does not answer is first
//           ended for good (SIGKILL, which also ends a stopped process), so that it cannot wake up
//           later and go on with old weights. Then shrink the communicator, and repeat the step.
// In PyTorch
//     dist.all_reduce(gradient)                              # bug: waits for a stopped rank
//     dist.monitored_barrier(group=gloo, timeout=limit)      # cure: names the ranks that are
//     silent os.kill(pid, signal.SIGKILL)                           # before the others go on
// Seen in   Slurm's `scontrol suspend`, `docker pause` and a debugger's breakpoint, which stop
//           processes in this way

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "scenarios/scenario.h"
#include "scenarios/training/survivors.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 8;
constexpr int kBadStep = 3;
constexpr std::chrono::milliseconds kPatience(200);  // until a rank asks
constexpr std::chrono::milliseconds kAnswer(500);    // a rank that waits asks by then too

enum class Stops { never, between_buckets };

// The two buckets of a step. The last rank is stopped between them.
void reduce(TinyTraining& training, int step, Stops stops) {
  training.reduce_bucket(0);
  if (stops == Stops::between_buckets && training.rank.is_last() && step == kBadStep) {
    training.rank.wait_for(training.rank.stream());
    raise(SIGSTOP);
  }
  training.reduce_bucket(1);
}

void train(Rank& rank, Stops stops) {
  TinyTraining training(rank);
  for (int step = 0; step < kSteps; ++step) {
    reduce(training, step, stops);  // BUG: nobody asks why the last rank does not come
    training.update();
    rank.wait_for(rank.stream());
    rank.report().step_done();
  }
  training.verify(kSteps, kBadStep);
  close_communicator(training.communicator);
}

void none_stopped(Rank& rank) { train(rank, Stops::never); }
void stopped(Rank& rank) { train(rank, Stops::between_buckets); }

void ask_who_has_left(Rank& rank) {
  TinyTraining training(rank);
  for (int step = 0; step < kSteps; ++step) {
    reduce(training, step, Stops::between_buckets);
    if (!is_done(training, Asks::nccl_and_peers)) shrink_to_survivors(training);  // BUG: nobody has
    training.update();
  }
}

// A process, and the host on which its number is valid.
std::string own_process() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + " " + std::to_string(getpid());
}

// Ends the processes of all ranks that are not in `left`, as far as they are on this host.
void fence(const std::vector<std::string>& processes, const std::vector<int>& left) {
  const std::string own = own_process();
  const std::string host = own.substr(0, own.find(' ') + 1);
  for (std::size_t rank = 0; rank < processes.size(); ++rank) {
    const bool is_left = std::find(left.begin(), left.end(), static_cast<int>(rank)) != left.end();
    if (is_left || !processes[rank].starts_with(host)) continue;
    kill(std::stoi(processes[rank].substr(host.size())), SIGKILL);
  }
}

void fence_and_go_on(Rank& rank) {
  const std::vector<std::string> processes = rank.rendezvous().exchange(own_process());
  TinyTraining training(rank);
  for (int step = 0; step < kSteps; ++step) {
    reduce(training, step, Stops::between_buckets);
    while (!is_done(training, Asks::nccl, kPatience)) {
      const std::vector<int> left = rank.rendezvous().answering(kAnswer);
      if (left == training.members) continue;  // slow, and not stopped
      fence(processes, left);                  // FIX: it will never wake up
      shrink_to(training, left);
      reduce_both(training);
    }
    training.update();
    rank.wait_for(rank.stream());
    rank.report().step_done();
  }
  rank.report().figure("ranks_left", static_cast<double>(training.members.size()));
  training.verify(kSteps, kBadStep);
  close_communicator(training.communicator);
}

Expectation others_wait(int ranks) {
  return one_is_stuck(ranks, ranks - 1, second_bucket_in(kBadStep));
}
Expectation only_it_is_killed(int ranks) { return crashes().culprits({ranks - 1}); }

constexpr Variant kVariants[] = {
    {"none_stopped", control, "the same loop, and nobody is stopped", none_stopped},
    {"stopped", broken, "the last rank is stopped between two buckets", stopped, others_wait},
    {"ask_who_has_left", remedy, "the others ask NCCL and their sockets, and nobody has left",
     ask_who_has_left, others_wait},
    {"fence_and_go_on", fix,
     "the others ask for a sign of life, end the silent rank, and go on without it",
     fence_and_go_on, only_it_is_killed},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a rank's process is stopped in the middle of a step, and the others wait for it",
    .variants = kVariants,
};
