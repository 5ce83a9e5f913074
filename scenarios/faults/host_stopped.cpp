// A rank's process is stopped (SIGSTOP) in the middle of a step.
//
// Lesson    A stopped process has not ended. Its sockets stay open and its memory stays mapped, so
//           nobody who asks "is it still there?" learns that it will not come. The kernel knows:
//           the state of the process is T.
// Watch     The others wait in NCCL, without an error, and the launcher sees a living process.
//           Debuggers, batch systems that suspend jobs, and Ctrl-Z do this. On a GPU, kernels that
//           were launched before still run.
// Cure      After a limit, look at the processes of the host. End a stopped one for good: SIGKILL
//           works on it too. Otherwise it may wake up later, and go on with old weights. Then it is
//           an ordinary lost rank, which all can see: make a new communicator, repeat the step.
// In PyTorch
//     dist.all_reduce(gradient)                                # bug: waits for a stopped rank
//     if psutil.Process(pid).status() == psutil.STATUS_STOPPED:
//         os.kill(pid, signal.SIGKILL)                         # cure: torchrun ends the others
// Seen in   Slurm's `scontrol suspend`, and a debugger that is attached to one rank

#include <signal.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "scenarios/scenario.h"
#include "scenarios/training/recovery/survivors.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 8;
constexpr int kBadStep = 3;
constexpr std::chrono::milliseconds kPatience(200);  // until a rank looks at the processes

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
    if (!is_done(training, Asks::nccl_and_peers)) {  // BUG: nobody has left
      repeat_step_with(training, rank.rendezvous().survivors());
    }
    training.update();
  }
}

// A process as the ranks tell each other: its host, and its number there.
std::string own_process() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + " " + std::to_string(getpid());
}

bool is_stopped(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(file, line);
  return line.find(") T ") != std::string::npos;  // after the name, which is in parentheses
}

// Ends the stopped processes of this rank's host.
void end_stopped(const std::vector<std::string>& processes) {
  const std::string own = own_process();
  const std::string host = own.substr(0, own.rfind(' ') + 1);
  for (const std::string& process : processes) {
    if (!process.starts_with(host)) continue;
    const pid_t pid = std::stoi(process.substr(host.size()));
    if (is_stopped(pid)) kill(pid, SIGKILL);
  }
}

void end_it_and_go_on(Rank& rank) {
  const std::vector<std::string> processes = rank.rendezvous().exchange(own_process());
  TinyTraining training(rank);
  for (int step = 0; step < kSteps; ++step) {
    reduce(training, step, Stops::between_buckets);
    const auto is_whole = [&] { return training.members.size() == processes.size(); };
    while (!is_done(training, is_whole() ? Asks::nccl_and_peers : Asks::nccl, kPatience)) {
      end_stopped(processes);  // FIX: from now on, all can see that it is lost
      if (!is_whole() || !rank.rendezvous().anyone_has_left()) continue;  // slow, not stopped
      repeat_step_with(training, rank.rendezvous().survivors());
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
    {"end_it_and_go_on", fix,
     "the others find the stopped process, end it, and go on as after a crash", end_it_and_go_on,
     only_it_is_killed},
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "a rank's process is stopped in the middle of a step, and the others wait for it",
    .variants = kVariants,
};
