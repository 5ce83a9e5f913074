// Rank 0's main thread has a group open, with an all-reduce and a message in it, while another
// thread makes 5,000 all-reduces on another communicator. Then the group ends, and both ranks go on
// with other calls.
// Naive view: what the record of 4,096 operations no longer holds was never called.
// Expected: completes.
// Must not say: corrupts, deadlock.
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const Two two;
  ncclComm_t third = twin_of(two.first);
  const auto many = [&] {
    for (int i = 0; i < 5000; ++i) all_reduce(two.second, two.on_second, two.y, 8);
    check(cudaStreamSynchronize(two.on_second));
  };
  const auto group = [&](const auto& meanwhile) {
    check(ncclGroupStart());
    all_reduce(two.first, two.on_first, two.x, 16);
    all_reduce(third, two.on_first, two.x, 16);
    if (rank() == 0) {
      check(ncclSend(two.x, 8, ncclFloat, 1, third, two.on_first));
    } else {
      check(ncclRecv(two.x, 8, ncclFloat, 0, third, two.on_first));
    }
    meanwhile();
    all_reduce(two.first, two.on_first, two.x, 32);
    check(ncclGroupEnd());
    check(cudaStreamSynchronize(two.on_first));
  };
  if (rank() == 0) {
    group([&] {
      std::thread([&] {
        check(cudaSetDevice(0));
        many();
      }).join();
    });
  } else {
    many();
    group([] {});
  }
  for (int step = 0; step < 4; ++step) {
    if (rank() == step % 2) pause_ms(400);
    check(ncclBroadcast(two.x, two.x, 64, ncclFloat, step % 2, two.first, two.on_first));
    check(cudaStreamSynchronize(two.on_first));
    all_reduce(third, two.on_first, two.x, 24);
    if (rank() == 0) {
      check(ncclSend(two.x, 48, ncclFloat, 1, third, two.on_first));
    } else {
      check(ncclRecv(two.x, 48, ncclFloat, 0, third, two.on_first));
    }
    check(cudaStreamSynchronize(two.on_first));
  }
  return 0;
}
