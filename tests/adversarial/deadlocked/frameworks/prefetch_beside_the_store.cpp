// Rank 1's main thread waits for rank 2's key over a socket. Its prefetching thread is ahead, in a
// collective with rank 0, which first wants the one of rank 1's main thread. Rank 2 waits for its
// own loader thread, whose wake-up came too early, and so never sends the key.
// Naive view: ranks 0 and 1 wait for each other in collectives, so they are to blame.
// Expected: deadlock; rank 2 is to blame, because it waits only for itself.
#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/store.h"

constinit const Trial trial{
    .expect =
        deadlock("self", {2}).or_as("deadlock", "host_stuck", {2}).or_as("deadlock", "cycle", {2}),
    .ranks = 3};

int program(int, char**) {
  const Training training;
  ncclComm_t pairs[2] = {};
  for (ncclComm_t& pair : pairs) {
    const int colour = rank() == 2 ? NCCL_SPLIT_NOCOLOR : 0;
    check(ncclCommSplit(training.world, colour, rank(), &pair, nullptr));
  }
  const int listener = rank() == 2 ? store_listener() : -1;
  training.step();
  int peer = -1;
  if (rank() == 1) peer = store_client();
  if (rank() == 2) peer = accept(listener, nullptr, nullptr);
  close(listener);
  training.step();
  const cudaStream_t own = make_stream();
  float* data = device_floats();
  const auto reduce = [&](int pair, cudaStream_t stream, float* what) {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    all_reduce(pairs[pair], stream, what);
    check(cudaStreamSynchronize(stream));
  };
  std::mutex mutex;
  std::condition_variable wanted;
  std::thread side([&] {
    if (rank() == 1) reduce(1, own, data);
    if (rank() == 2) {
      std::unique_lock lock(mutex);
      wanted.wait(lock);
    }
  });
  if (rank() == 2) {
    side.join();
    tell(peer);
  } else {
    if (rank() == 1) be_told(peer);
    reduce(0, training.stream, training.data);
    if (rank() == 0) reduce(1, own, data);
    side.join();
  }
  training.step();
  return 0;
}
