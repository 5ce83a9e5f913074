// Rank 0 sends a header and a body in two small sends and goes on to the next step. Its kernel
// holds the body back (Nagle's algorithm) until the header is acknowledged, which rank 1's kernel
// delays by some 40 ms. Rank 1 waits for the body, and then comes to the step.
// Naive view: rank 0 is in the step and sends no more, so both wait for each other.
// Expected: completes.
#include "tests/adversarial/setup/pair.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  const int peer = connect_pair(training);
  for (int step = 0; step < 5; ++step) {
    answer_requests(peer);
    for (int part = 0; part < 2; ++part) {
      if (rank() == 0) {
        tell(peer);
      } else {
        be_told(peer);
      }
    }
    training.step();
  }
  return 0;
}
