// Rank 0 waits in NCCL for rank 1, which waits in a lock of rank 2's window (MPI_Win_lock). Rank 2
// holds that lock while it waits for a message that a second thread of rank 0's sends late.
// Naive view: a window's lock shows nowhere, so rank 1 is stuck for ever.
// Expected: completes.
#include <thread>

#include "tests/adversarial/setup/mpi.h"

constinit const Trial trial{
    .expect = completes(), .ranks = 3, .options = kStandsBriefly, .by_mpiexec = true};

int program(int argc, char** argv) {
  int provided = 0;
  int self = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  check(cudaSetDevice(self));
  ncclUniqueId id;
  if (self == 0) check(ncclGetUniqueId(&id));
  MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
  ncclComm_t world = nullptr;
  check(ncclCommInitRank(&world, 3, id, self));
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  int shown[4] = {};
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create(shown, sizeof shown, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  if (self == 2) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window);
  MPI_Barrier(MPI_COMM_WORLD);
  std::thread sender;
  if (self == 0) {
    sender = std::thread([] {
      pause_ms(1000);
      send(2);
    });
  }
  if (self == 1) {
    int word = 7;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window);
    MPI_Put(&word, 1, MPI_INT, 2, 1, 1, MPI_INT, window);
    MPI_Win_unlock(2, window);
  }
  if (self == 2) {
    receive(0);
    MPI_Win_unlock(2, window);
  }
  MPI_Barrier(MPI_COMM_WORLD);  // moves the put
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (sender.joinable()) sender.join();
  MPI_Win_fence(0, window);
  MPI_Win_free(&window);
  MPI_Finalize();
  return 0;
}
