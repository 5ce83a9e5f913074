// As healthy/recorder/resets_its_device; then rank 1 skips an all-reduce and waits for rank 0.
// Naive view: streams that a reset has taken away are still there.
// Expected: deadlock.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  check(cudaSetDevice(number_from("LOCAL_RANK")));
  for (int i = 0; i < 40; ++i) {
    for (int k = 0; k < 8; ++k) {
      const cudaStream_t stream = make_stream();
      check(cudaLaunchHostFunc(
          stream, [](void*) {}, nullptr));
    }
    check(cudaDeviceReset());
  }
  const Two two;
  cross(two);
  check(cudaStreamSynchronize(two.on_first));
  return 0;
}
