// A host function on the legacy stream tells another thread, which then captures a blocking stream.
// During such a capture nothing may be put on the legacy stream, and nothing is. Often.
// Naive view: a mark behind the host function is put on the legacy stream in time. If the other
// thread is quicker, the mark breaks the capture.
// Expected: completes.
#include "tests/adversarial/setup/captured_when_told.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    capture_when_told(nullptr, make_stream(cudaStreamDefault), training.data);
  }
  training.step();
  return 0;
}
