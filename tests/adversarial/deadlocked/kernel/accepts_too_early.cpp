// Rank 0 accepts rank 1's connection before the next step. Rank 1 connects after it.
// Naive view: anybody may connect.
// Expected: deadlock; a cycle of both. The verdict may assume that nobody else connects.
#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/store.h"

constinit const Trial trial{
    .expect = deadlock("cycle", {0, 1}).or_as("deadlock", "host_stuck", {0}).assuming("connect")};

int program(int, char**) {
  const Training training;
  const int listener = rank() == 0 ? store_listener() : -1;
  training.step();
  if (rank() == 0) accept(listener, nullptr, nullptr);
  training.step();
  if (rank() == 1) store_client();
  return 0;
}
