// As computes_on_the_legacy_stream, with PyTorch's thread that pins batches: it has made pinned
// memory, and looks for the next batch again and again.
// Naive view: a recorded thread that sleeps by the clock may do anything.
// Expected: deadlock; rank 1 is to blame. The proof assumes that the thread makes no other calls.
#include <atomic>
#include <thread>

#include "tests/adversarial/setup/ddp.h"

constinit const Trial trial{.expect = deadlock("missing_rank", {1})
                                          .or_as("deadlock", "rank_exited", {1})
                                          .assuming("never made a recorded call"),
                            .ranks = 3};

int program(int, char**) {
  Ddp ddp;
  ddp.reduce();
  ddp.read_loss();
  std::atomic<bool> is_pinned = false;
  std::thread([&] {
    void* batch = nullptr;
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    check(cudaHostAlloc(&batch, 4096, cudaHostAllocDefault));
    is_pinned = true;
    while (true) pause_ms(50);
  }).detach();
  while (!is_pinned) pause_ms(1);
  if (rank() != 1) ddp.reduce();
  ddp.read_loss();
  return 0;
}
