// The legacy stream waits for a word of the host's. A call on an idle blocking stream is refused,
// so that stream stays idle, and the host's wait for it returns. Then the host writes the word.
// Naive view: as in calls/refused_beside_legacy, but the recorder does not see what holds the
// legacy stream. Its mark before the refused call is work of the blocking stream.
// Expected: completes.
#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/word_gate.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  const WordGate gate;
  const cudaStream_t blocking = make_stream(cudaStreamDefault);
  gate.close(nullptr);
  constexpr int kNobody = 99;
  if (ncclSend(training.data, 8, ncclFloat, kNobody, training.world, blocking) == ncclSuccess) {
    return 1;
  }
  check(cudaStreamSynchronize(blocking));
  gate.open();
  check(cudaDeviceSynchronize());
  training.step();
  return 0;
}
