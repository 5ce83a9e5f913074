// A group is open for 900 ms, while its rank prepares its next tensors. Its end then takes 400
// ms, for the allocator's lock is held by a profiler's thread for so long. (500 ms are allowed.)
// Naive view: the end of the group has lasted since its last call was made.
// Expected: completes.
#include <atomic>
#include <mutex>
#include <thread>

#include "tests/adversarial/setup/slow_allocator.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

namespace {
std::mutex g_heap;
std::atomic<int> g_stage{0};
}  // namespace

int program(int, char**) {
  const Two two;
  ncclComm_t third = nullptr;
  check(ncclCommSplit(two.first, 0, rank(), &third, nullptr));
  static cudaStream_t of_third = nullptr;
  of_third = make_stream();
  static float* z = nullptr;
  z = device_floats();
  static ncclComm_t comm = nullptr;
  comm = third;
  all_reduce(comm, of_third, z);
  check(cudaStreamSynchronize(of_third));
  std::thread profiler([] {
    while (g_stage != 1) pause_ms(1);
    const std::scoped_lock lock(g_heap);
    g_stage = 2;
    const Deadline end = in_ms(400);
    while (!end.is_over()) {
    }
  });
  launch_that_lasts(two, nullptr, [](cudaStream_t) {
    check(ncclGroupStart());
    all_reduce(comm, of_third, z);
    pause_ms(900);
    g_stage = 1;
    while (g_stage != 2) pause_ms(1);
    t_in_allocation = [] { const std::scoped_lock lock(g_heap); };
    check(ncclGroupEnd());
    if (t_in_allocation != nullptr) std::fputs("no allocation in the group's end\n", stderr);
  });
  if (rank() == 1) {
    g_stage = 1;
    all_reduce(comm, of_third, z);
  }
  check(cudaStreamSynchronize(of_third));
  profiler.join();
  return 0;
}
