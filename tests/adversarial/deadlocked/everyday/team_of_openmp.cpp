// Rank 0's OpenMP team has two threads: one makes a collective and waits for it before the
// team's barrier, the other comes to the barrier and makes the collective that rank 1 waits for
// after it. (The team is libgomp's own: it spins a while, then sleeps.)
// Naive view: who spins at a barrier may act.
// Expected: deadlock; a cycle of both.
#include <dlfcn.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}),
                            .environment = {"OMP_WAIT_POLICY=passive"}};

namespace {
struct Team {
  const Two* two;
  int (*number)();
  void (*barrier)();
};
void body(void* argument) {
  const auto& team = *static_cast<Team*>(argument);
  const Two& two = *team.two;
  check(cudaSetDevice(0));
  check(cudaStreamSynchronize(nullptr));
  if (team.number() == 0) {
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
  }
  team.barrier();
  if (team.number() == 1) two.tell();
}
}  // namespace

int program(int, char**) {
  const Two two;
  if (rank() == 1) {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    return 0;
  }
  void* gomp = dlopen("libgomp.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (gomp == nullptr) return 5;
  using Parallel = void (*)(void (*)(void*), void*, unsigned, unsigned);
  Team team{&two, reinterpret_cast<int (*)()>(dlsym(gomp, "omp_get_thread_num")),
            reinterpret_cast<void (*)()>(dlsym(gomp, "GOMP_barrier"))};
  reinterpret_cast<Parallel>(dlsym(gomp, "GOMP_parallel"))(body, &team, 2, 0);
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
