// A blocking stream waits for an event that has occurred, which is no work, while the legacy stream
// is held. Beside that, a thread captures without a pause. Often.
// Naive view: no mark is put on a stream while anything is captured, so the event is not known to
// have occurred, and the wait gets a mark of its own, which waits for the legacy stream.
// Expected: completes.
#include "tests/adversarial/setup/alone.h"
#include "tests/adversarial/setup/captures_without_pause.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  ncclComm_t own = alone_in(world);
  const cudaStream_t stream = make_stream();
  const cudaStream_t blocking = make_stream(cudaStreamDefault);
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaDeviceSynchronize());
  if (rank() == 0) {
    const CapturesWithoutPause captures;
    cudaEvent_t event = nullptr;
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    for (int i = 0; i < 200; ++i) {
      copy(own, stream, data);
      check(cudaEventRecord(event, stream));
      while (cudaEventQuery(event) == cudaErrorNotReady) {
      }
      Gate gate;
      gate.close(nullptr);
      check(cudaStreamWaitEvent(blocking, event, 0));
      check(cudaStreamSynchronize(blocking));
      gate.open();
      check(cudaStreamSynchronize(nullptr));
    }
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
