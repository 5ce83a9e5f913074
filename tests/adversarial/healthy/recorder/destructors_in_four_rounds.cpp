// Threads keep a cache in thread-specific data. Its destructor waits for the device, and sets the
// value again, so it runs in all four rounds that POSIX allows. 300 threads end so.
// Naive view: a thread makes no call of CUDA after its last round.
// Expected: completes.
#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/last_destructors.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const Training training;
  training.step();
  end_in_four_rounds(training.stream, [&] { training.step(); });
  if (rank() == 1) pause_ms(1500);
  training.step();
  return 0;
}
