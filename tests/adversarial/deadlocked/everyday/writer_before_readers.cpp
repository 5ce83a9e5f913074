// The parameters have a lock for readers and writers that prefers writers. Rank 0's trainer
// reads under it, in an all-reduce that rank 1 joins later. Its optimizer waits to write, and so
// its checkpoint thread waits to read before it makes the broadcast in which rank 1 waits.
// Naive view: the lock is held for reading, so who wants to read may go on.
// Expected: deadlock; a cycle of both.
#include <pthread.h>

#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1})};

int program(int, char**) {
  const Two two;
  if (rank() == 1) {
    two.be_told(0);
    all_reduce(two.first, two.on_first, two.x);
    check(cudaStreamSynchronize(two.on_first));
    return 0;
  }
  pthread_rwlockattr_t writers;
  pthread_rwlockattr_init(&writers);
  pthread_rwlockattr_setkind_np(&writers, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_t parameters;
  pthread_rwlock_init(&parameters, &writers);
  pthread_rwlock_rdlock(&parameters);
  std::thread optimizer([&] {
    check(cudaSetDevice(0));
    check(cudaStreamSynchronize(two.on_second));
    pthread_rwlock_wrlock(&parameters);
    pthread_rwlock_unlock(&parameters);
  });
  pause_ms(50);
  std::thread checkpoint([&] {
    check(cudaSetDevice(0));
    check(cudaStreamSynchronize(two.on_second));
    pthread_rwlock_rdlock(&parameters);
    two.tell();
    pthread_rwlock_unlock(&parameters);
  });
  all_reduce(two.first, two.on_first, two.x);
  check(cudaStreamSynchronize(two.on_first));
  pthread_rwlock_unlock(&parameters);
  optimizer.join();
  checkpoint.join();
  return 0;
}
