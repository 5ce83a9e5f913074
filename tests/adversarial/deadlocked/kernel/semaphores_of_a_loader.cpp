// Rank 0 waits for its loader's next batch, and the loader for room in the queue: each sleeps at a
// semaphore in memory that both map, as in Python's multiprocessing.Queue. Rank 1 waits for rank 0
// in a collective.
// Naive view: any process may wake who sleeps in shared memory.
// Expected: deadlock; rank 0 is to blame, because it waits only for itself and its child.
#include <semaphore.h>
#include <sys/mman.h>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = stuck_by_itself(0)};

struct Queue {
  sem_t batches;
  sem_t room;
};

int program(int, char**) {
  void* memory =
      mmap(nullptr, sizeof(Queue), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 5;
  auto* queue = static_cast<Queue*>(memory);
  sem_init(&queue->batches, 1, 0);
  sem_init(&queue->room, 1, 2);
  if (rank() == 0 && fork() == 0) {
    // It needs room for two of everything, and so never gets to its second batch.
    for (;;) {
      for (int item = 0; item < 2; ++item) sem_wait(&queue->room);
      sem_post(&queue->batches);
    }
    _exit(0);
  }
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  for (int step = 0; step < 3; ++step) {
    if (rank() == 0) {
      sem_wait(&queue->batches);
      sem_post(&queue->room);
    }
    all_reduce(world, stream, data);
    check(cudaStreamSynchronize(stream));
  }
  return 0;
}
