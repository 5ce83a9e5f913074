// What the worker calls of MPI.
#include "tests/fuzz/live/worker_mpi.h"

#include <mpi.h>

#include <vector>

#include "tests/fuzz/live/worker.h"

namespace gridlock::fuzz {

int begin_mpi() {
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

void end_mpi() { MPI_Finalize(); }

void call_mpi(const Instruction& call) {
  static std::vector<char> sent(kLargeMpiBytes);
  static std::vector<char> received(kLargeMpiBytes);
  const auto bytes = static_cast<int>(call.size == Size::small ? kSmallBytes : kLargeMpiBytes);
  if (call.op == Op::send) {
    MPI_Send(sent.data(), bytes, MPI_BYTE, call.peer, 0, MPI_COMM_WORLD);
  } else if (call.op == Op::recv) {
    MPI_Recv(received.data(), kLargeMpiBytes, MPI_BYTE, call.peer, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  } else {
    MPI_Allreduce(sent.data(), received.data(), kSmallBytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
  }
}

}  // namespace gridlock::fuzz
