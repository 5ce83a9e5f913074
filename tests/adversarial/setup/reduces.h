// All-reduces of NCCL in a program that also speaks MPI.
#pragma once

#include "tests/adversarial/setup/mpi.h"

struct Reduces {
  ncclComm_t world = nullptr;
  cudaStream_t stream = make_stream();
  float* data = device_floats();

  void operator()(std::size_t count = 16) const {
    all_reduce(world, stream, data, count);
    check(cudaStreamSynchronize(stream));
  }
  // From now on MPI makes one when it copies the attributes of `communicator`.
  void attach(MPI_Comm communicator) {
    const auto copy = [](MPI_Comm, int, void*, void* with, void*, int* flag) {
      (*static_cast<const Reduces*>(with))();
      *flag = 0;
      return MPI_SUCCESS;
    };
    int key = 0;
    MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
    MPI_Comm_set_attr(communicator, key, this);
  }
  // All ranks take part. Rank 1's device comes late.
  void go_on(int rank) const {
    for (std::size_t count = 32; count < 36; ++count) {
      if (rank == 1) hold_for_long(stream);
      (*this)(count);
    }
  }
};
