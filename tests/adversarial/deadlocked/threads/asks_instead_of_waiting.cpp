// All ranks ask again and again whether their stream or event is done. Rank 2 leaves out the third
// all-reduce, and waits in the next one, on another communicator.
// Naive view: all hosts run code of their own, so all are stuck there.
// Expected: no proof, because all can act; a stall that blames rank 2.
#include "tests/adversarial/setup/job.h"

constinit const Trial trial{
    .expect = deadlock("missing_rank", {2}).or_as("stall", "missing_rank", {2}),
    .ranks = 4,
    .options = {"--stall-limit", "3s"}};

int program(int, char**) {
  ncclComm_t world = join_world();
  ncclComm_t other = twin_of(world);
  cudaStream_t stream = make_stream();
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  float* data = device_floats();
  const auto is_busy = [&] {
    const cudaError_t answer = rank() == 0 ? cudaEventQuery(event) : cudaStreamQuery(stream);
    if (answer != cudaErrorNotReady) check(answer);
    return answer == cudaErrorNotReady;
  };
  const auto sum = [&](ncclComm_t of) {
    all_reduce(of, stream, data);
    check(cudaEventRecord(event, stream));
    while (is_busy()) pause_ms(1);
  };
  for (int step = 0; step < 4; ++step) {
    if (rank() != 2 || step != 2) sum(world);
    sum(other);
  }
  return 0;
}
