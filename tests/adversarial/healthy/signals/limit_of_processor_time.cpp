// Rank 0 has a soft limit of processor time, whose signal (SIGXCPU) makes it give up a communicator
// and save. Its threads sleep in an all-reduce that rank 1 does not join, beside a kernel that
// computes, which is what uses the time here; NCCL's own threads do so on real machines.
// Naive view: processor time stands still while all threads of the program sleep.
// Expected: completes.
#include <gridlock_sim/launch.h>
#include <sys/resource.h>

#include <atomic>

#include "tests/adversarial/setup/given_up.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

namespace {
std::atomic<bool> has_come = false;
}

int program(int, char**) {
  const Training training;
  const cudaStream_t computes = make_stream();
  wait_until_given_up(training, [&] {
    std::signal(SIGXCPU, [](int signal) {
      has_come = true;
      give_up(signal);
    });
    check(sim::launch(computes, [] {
      while (!has_come) {
      }
    }));
    rlimit limit{};
    getrlimit(RLIMIT_CPU, &limit);
    limit.rlim_cur = 1;
    setrlimit(RLIMIT_CPU, &limit);
    return pid_t{0};
  });
  return 0;
}
