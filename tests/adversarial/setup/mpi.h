// How every program with MPI begins and ends.
#pragma once

#include <mpi.h>

#include "tests/adversarial/setup/job.h"

struct Mpi {
  int rank = 0;
  Mpi(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  }
  Mpi(const Mpi&) = delete;
  Mpi& operator=(const Mpi&) = delete;
  ~Mpi() { MPI_Finalize(); }

  // The ranks' NCCL communicator, on a device each.
  ncclComm_t join_by_nccl(int ranks = 2) const {
    ncclUniqueId id;
    if (rank == 0) check(ncclGetUniqueId(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    check(cudaSetDevice(rank));
    ncclComm_t all = nullptr;
    check(ncclCommInitRank(&all, ranks, id, rank));
    return all;
  }
};

// One number.
inline int receive(int from, int tag = 0) {
  int word = 0;
  MPI_Recv(&word, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return word;
}
inline void send(int to, int tag = 0) { MPI_Send(&to, 1, MPI_INT, to, tag, MPI_COMM_WORLD); }

// A receive of less than nothing, which MPI refuses.
inline void receive_wrongly(int from) {
  int word = 0;
  MPI_Recv(&word, -1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
inline void handle_errors_by(MPI_Comm_errhandler_function* function) {
  MPI_Errhandler handler{};
  MPI_Comm_create_errhandler(function, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
}
