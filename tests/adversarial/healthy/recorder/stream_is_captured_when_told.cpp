// A host function tells another thread that the stream is free, and that thread captures it. A
// captured step has one node. Often.
// Naive view: a mark behind the host function is put on the stream in time. If the other thread is
// quicker, the mark becomes a node of the graph.
// Expected: completes.
#include "tests/adversarial/setup/captured_when_told.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const cudaStream_t own = make_stream();
    capture_when_told(own, own, training.data);
  }
  training.step();
  return 0;
}
