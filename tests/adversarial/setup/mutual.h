// Ranks 0 and 1 each wait for the other's message. Rank 0 sends when it has got one; rank 1's is
// sent by its device.
#pragma once

#include <mpi.h>

#include "tests/adversarial/setup/job.h"

// A host function: works for a second, and sends it.
inline void send_after_work(void*) {
  const Deadline end = in_ms(1000);
  while (!end.is_over()) {
  }
  int sent = 1;
  MPI_Send(&sent, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
}

// `enqueue`, on rank 1: puts what sends it on a stream.
template <class Enqueue>
int wait_for_each_other(int argc, char** argv, Enqueue enqueue) {
  int provided = 0;
  int self = 0;
  int word = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  if (self == 1) {
    check(cudaSetDevice(1));
    enqueue(make_stream());
  }
  MPI_Recv(&word, 1, MPI_INT, 1 - self, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (self == 0) MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (self == 1) check(cudaDeviceSynchronize());
  MPI_Finalize();
  return 0;
}
