// A thread copies in the default stream, and waits for a host function on a blocking stream.
// Meanwhile another thread puts a host function on a second blocking stream, behind the copy. It
// ends only after an all-reduce on a third one, which the first thread calls after its copy.
// Naive view: the recorder marks the copy's end on the default stream. That mark would wait for
// the second host function, and the all-reduce for the mark: a hang that the recorder makes.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/gate.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t streams[3];
  for (cudaStream_t& stream : streams) stream = make_stream(cudaStreamDefault);
  float* data = device_floats();
  if (rank() == 1) {
    all_reduce(world, streams[2], data);
    check(cudaStreamSynchronize(streams[2]));
    return 0;
  }
  Gate first;
  Gate second;
  first.close(streams[0]);
  std::thread other([&] {
    pause_ms(200);
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    second.close(streams[1]);
    first.open();
  });
  const float host[16] = {};
  check(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice));
  all_reduce(world, streams[2], data);
  check(cudaStreamSynchronize(streams[2]));
  second.open();
  other.join();
  check(cudaDeviceSynchronize());
  return 0;
}
