// Rank 1's main thread waits for rank 2's key over a socket. Rank 2 forgets it until after the next
// step, to which all others have come. Rank 1's prefetching thread is ahead, on a communicator of
// its own.
// Naive view: three of four ranks are at the step, so rank 1 is to blame.
// Expected: deadlock; the cycle of 1 and 2.
#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/store.h"

constinit const Trial trial{
    .expect = deadlock("cycle", {1, 2}).or_as("deadlock", "cycle", {0, 1, 2, 3}), .ranks = 4};

int program(int, char**) {
  const Training training;
  ncclComm_t ahead = nullptr;
  check(ncclCommSplit(training.world, 0, rank(), &ahead, nullptr));
  const int listener = rank() == 2 ? store_listener() : -1;
  training.step();
  int peer = -1;
  if (rank() == 1) peer = store_client();
  if (rank() == 2) peer = accept(listener, nullptr, nullptr);
  close(listener);
  training.step();
  const cudaStream_t own = make_stream();
  float* data = device_floats();
  const auto prefetch = [&] {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    all_reduce(ahead, own, data);
    check(cudaStreamSynchronize(own));
  };
  std::thread prefetches;
  if (rank() == 1) prefetches = std::thread(prefetch);
  if (rank() == 1) be_told(peer);
  training.step();
  if (rank() == 2) tell(peer);
  if (rank() != 1) prefetch();
  if (prefetches.joinable()) prefetches.join();
  return 0;
}
