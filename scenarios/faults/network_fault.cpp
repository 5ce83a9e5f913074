// The network between two hosts fails in the middle of a step.
//
// Lesson    A broken link is silence. TCP keeps the connection and sends again, after 0.2, 0.6,
//           1.4, 3 and 6 s, and so on for a quarter of an hour (net.ipv4.tcp_retries2). Until then
//           NCCL has nothing to report: no error, no line in its log. A host that vanishes takes
//           its sockets with it, so nobody closes them, and the others see the same silence.
// Watch     All ranks are in the same collective, and all have come. So neither a stack nor a
//           time-out shows which rank is to blame. The kernel knows: it counts what it has sent
//           again without an answer (`ss -ti`, the column retrans), and whose link is down.
// Cure      A link that comes back within seconds needs none: TCP delivers what it kept, and the
//           step ends late. For one that stays down, limit how long a step may take. Then ask
//           over the same network who still answers: who does, aborts, makes a new communicator
//           and repeats the step. Who hears nothing from rank 0 must end, or both halves go on.
// In PyTorch
//     dist.init_process_group("nccl")                            # bug: ten minutes of silence
//     dist.init_process_group("nccl", timeout=timedelta(seconds=60))
//     torchrun --nnodes 1:2 --max-restarts 3 train.py            # cure: goes on without the host
// Seen in   NVIDIA/nccl#706 (hangs after many steps, and much later "recv failed: Connection timed
//           out"), #1619 (the same), #1324 (which node is it?)

#include <signal.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "scenarios/runtime/link.h"
#include "scenarios/scenario.h"
#include "scenarios/training/recovery/survivors.h"

using namespace gridlock;

namespace {

constexpr int kSteps = 8;
constexpr int kBadStep = 3;
constexpr std::chrono::seconds kOutage(5);
constexpr std::chrono::milliseconds kStepLimit(1000);  // until a rank asks who answers
constexpr std::chrono::milliseconds kPatience(2000);   // until a rank that says nothing is lost

enum class Fault { none, stays_down, comes_back, host_vanishes, loses_packets, is_slow };

std::string own_host() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

// A job on two hosts, and what happens to the second one.
struct Job {
  Job(Rank& rank, Fault what) : training(rank), fault(what) {
    const std::vector<std::string> hosts = rank.rendezvous().exchange(own_host());
    const std::vector<pid_t> processes = rank.rendezvous().exchange(getpid());
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      if (hosts[i] == hosts.back()) on_last_host.push_back(processes[i]);
    }
  }

  // What the last rank does to its host.
  void strike() {
    if (!training.rank.is_last()) return;
    if (fault == Fault::host_vanishes) {
      link.down();  // first, so that nothing tells the other host of the end
      for (const pid_t process : on_last_host) kill(process, SIGKILL);
    }
    if (fault == Fault::stays_down || fault == Fault::comes_back) link.down();
    if (fault == Fault::loses_packets) link.lose(30);
    if (fault == Fault::is_slow) link.limit_to(64);
    if (fault != Fault::comes_back) return;
    repair = std::jthread([this] {
      std::this_thread::sleep_for(kOutage);
      link.up();
    });
  }

  // The two buckets of a step. The fault comes between them, when all ranks have the first.
  void reduce(int step) {
    training.reduce_bucket(0);
    if (step == kBadStep) {
      training.rank.wait_for(training.rank.stream());
      training.rank.rendezvous().exchange(step);
      strike();
    }
    training.reduce_bucket(1);
  }

  TinyTraining training;
  Fault fault;
  Link link;
  std::vector<pid_t> on_last_host;  // itself last
  std::jthread repair;
};

void train(Rank& rank, Fault fault) {
  Job job(rank, fault);
  for (int step = 0; step < kSteps; ++step) {
    const auto began = std::chrono::steady_clock::now();
    job.reduce(step);  // BUG, if the link stays down: nobody limits the step
    job.training.update();
    rank.wait_for(rank.stream());
    rank.report().step_done();
    if (step != kBadStep) continue;
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    rank.report().figure("bad_step_ms", took.count());
  }
  job.training.verify(kSteps, kBadStep);
  close_communicator(job.training.communicator);
}

void whole_network(Rank& rank) { train(rank, Fault::none); }
void link_down(Rank& rank) { train(rank, Fault::stays_down); }
void host_vanishes(Rank& rank) { train(rank, Fault::host_vanishes); }
void back_in_time(Rank& rank) { train(rank, Fault::comes_back); }
void packets_lost(Rank& rank) { train(rank, Fault::loses_packets); }
void slow_link(Rank& rank) { train(rank, Fault::is_slow); }

void train_with_who_answers(Rank& rank, Fault fault) {
  Job job(rank, fault);
  TinyTraining& training = job.training;
  for (int step = 0; step < kSteps; ++step) {
    job.reduce(step);
    while (!is_done(training, Asks::nccl, kStepLimit)) {
      // FIX: whoever does not answer is lost, and whoever gets no answer ends with an error
      const std::vector<int> left = rank.rendezvous().survivors_within(kPatience);
      if (left == training.members) continue;  // slow, and nobody is lost
      repeat_step_with(training, left);
    }
    training.update();
    rank.wait_for(rank.stream());
    rank.report().step_done();
  }
  rank.report().figure("ranks_left", static_cast<double>(training.members.size()));
  training.verify(kSteps, kBadStep);
  close_communicator(training.communicator);
}

void go_on_without_the_link(Rank& rank) { train_with_who_answers(rank, Fault::stays_down); }
void go_on_without_the_host(Rank& rank) { train_with_who_answers(rank, Fault::host_vanishes); }

std::vector<int> second_host(int ranks) {
  return ranks_where(ranks, [ranks](int rank) { return rank >= (ranks + 1) / 2; });
}
std::vector<int> first_host(int ranks) {
  return ranks_where(ranks, [ranks](int rank) { return rank < (ranks + 1) / 2; });
}

Expectation all_wait(int ranks) {
  return stall(Cause::network)
      .culprits(second_host(ranks))
      .waiting(all_ranks(ranks), second_bucket_in(kBadStep));
}
Expectation others_wait(int ranks) {
  return deadlock(Cause::rank_exited)
      .culprits(second_host(ranks))
      .waiting(first_host(ranks), second_bucket_in(kBadStep));
}
// From 2.23 to 2.26, an abort waits for what the network has not delivered (ncclProxyProgress in
// src/proxy.cc; see abort_on_network): the cure hangs in it.
Expectation but_stuck_before_2_26_2(const Expectation& right) {
  return Expectation(right)
      .before(NCCL_VERSION(2, 23, 0), right)
      .before(NCCL_VERSION(2, 26, 2), stall(Cause::host_stuck).loosely_on_real_nccl());
}
Expectation cut_off_ranks_fail(int ranks) {
  return but_stuck_before_2_26_2(fails().culprits(second_host(ranks)));
}
Expectation only_they_are_killed(int ranks) {
  return but_stuck_before_2_26_2(crashes().culprits(second_host(ranks)));
}

constexpr Variant kVariants[] = {
    Variant{"whole_network", control, "the same loop, and the network is whole", whole_network}
        .on_hosts(2),
    Variant{"link_down", broken, "the second host's link goes down between two buckets", link_down,
            all_wait}
        .on_hosts(2),
    Variant{"host_vanishes", broken, "the second host vanishes, with its ranks and its link",
            host_vanishes, others_wait}
        .on_hosts(2),
    Variant{"back_in_time", control, "the link is down for 5 s: TCP delivers what it kept",
            back_in_time}
        .on_hosts(2),
    Variant{"packets_lost", control, "the second host loses 30 % of what arrives: slow, not stuck",
            packets_lost}
        .on_hosts(2),
    Variant{"slow_link", control, "its link gets 64 kbit/s: slow, not stuck", slow_link}.on_hosts(
        2),
    Variant{"go_on_without_the_link", fix,
            "the ranks limit a step; those who reach rank 0 go on, the others end",
            go_on_without_the_link, cut_off_ranks_fail}
        .on_hosts(2),
    Variant{"go_on_without_the_host", fix, "the same, when the second host has vanished",
            go_on_without_the_host, only_they_are_killed}
        .on_hosts(2),
};

}  // namespace

constinit const Scenario gridlock::scenario{
    .summary = "the network between two hosts fails in the middle of a step",
    .variants = kVariants,
};
