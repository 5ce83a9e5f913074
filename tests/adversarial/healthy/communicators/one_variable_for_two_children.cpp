// Non-blocking splits of two communicators, one after the other. A function of the program makes
// both: it looks whether the child's handle is in its (static) variable, and returns it. So the
// handles of both children come to one place. Rank 0's watchdog asks the two parents for their
// state later; rank 1 asks each parent at once. Rank 1's device then comes late to an all-reduce on
// the second child.
// Naive view: what lies in the variable when the first parent is asked is the first child.
// Expected: completes.
#include <gridlock_sim/launch.h>

#include "tests/adversarial/setup/non_blocking.h"

constinit const Trial trial{.expect = completes()};

namespace {

ncclComm_t child_of(ncclComm_t parent) {
  static ncclComm_t child = nullptr;
  child = nullptr;
  begin(ncclCommSplit(parent, 0, rank(), &child, nullptr));
  when_there(child);
  if (rank() == 1) await(parent);
  await(child);
  return child;
}

}  // namespace

int program(int, char**) {
  const ncclComm_t first = join_without_blocking();
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  ncclUniqueId id{};
  if (rank() == 0) check(ncclGetUniqueId(&id));
  check(cudaMemcpy(data, &id, sizeof id, cudaMemcpyHostToDevice));
  begin(ncclBroadcast(data, data, sizeof id, ncclChar, 0, first, stream));
  await(first);
  check(cudaStreamSynchronize(stream));
  check(cudaMemcpy(&id, data, sizeof id, cudaMemcpyDeviceToHost));
  const ncclComm_t second = join_without_blocking(id);

  child_of(first);
  const ncclComm_t child = child_of(second);
  if (rank() == 0) {  // the watchdog
    await(second);
    await(first);
  }
  if (rank() == 1) check(sim::launch(stream, [] { pause_ms(900); }));
  begin(ncclAllReduce(data, data, 16, ncclFloat, ncclSum, child, stream));
  await(child);
  check(cudaStreamSynchronize(stream));
  return 0;
}
