// Parts whose signal handlers jump.
#include <unistd.h>

#include <csetjmp>
#include <csignal>

#include "tests/harness/recorder/parts.h"

namespace gridlock {
namespace {

sigjmp_buf g_before;

cudaStream_t make_stuck_stream() {
  cudaStream_t stream = make_stream();
  const auto wait_for_ever = [](void*) {
    for (;;) pause();
  };
  check(cudaLaunchHostFunc(stream, wait_for_ever, nullptr));
  return stream;
}

constexpr useconds_t kSoon = 50'000;

}  // namespace

int jumps_out_of_a_wait() {
  cudaStream_t stream = make_stuck_stream();
  std::signal(SIGALRM, [](int) { siglongjmp(g_before, 1); });
  if (sigsetjmp(g_before, 1) == 0) {
    ualarm(kSoon, 0);
    check(cudaStreamSynchronize(stream));
  }
  check(cudaDeviceSynchronize());
  return 0;
}

int jumps_inside_a_handler() {
  cudaStream_t stream = make_stuck_stream();
  std::signal(SIGALRM, [](int) {
    if (sigsetjmp(g_before, 1) == 0) siglongjmp(g_before, 1);
  });
  ualarm(kSoon, 0);
  check(cudaStreamSynchronize(stream));
  return 0;
}

}  // namespace gridlock
