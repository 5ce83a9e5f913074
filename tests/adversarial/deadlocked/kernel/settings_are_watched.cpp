// A thread of each rank watches the job's settings (inotify) and never hears of a change. Rank 1
// leaves a collective out.
// Naive view: a thread that reads from the kernel may wake up.
// Expected: deadlock; both wait for each other at the end (a proof must assume that the thread
// makes no call).
#include <sys/inotify.h>

#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect =
        deadlock("cycle", {0, 1}).or_as("deadlock", "missing_rank", {1}).assuming("recorded call")};

int program(int, char**) {
  const Two two;
  std::thread([] {
    const int settings = inotify_init1(0);
    inotify_add_watch(settings, shared_file("").c_str(), IN_DELETE_SELF);
    char event[4096];
    (void)!read(settings, event, sizeof event);
  }).detach();
  all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  if (rank() == 0) {
    all_reduce(two.second, two.on_second, two.y);
    check(cudaStreamSynchronize(two.on_second));
  }
  all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  std::_Exit(0);
}
