// Rank 0 exchanges data with nobody but itself in MPI_Alltoallv and MPI_Gatherv, which takes long
// because it is much. Rank 1 makes these calls only when rank 0 has told it to.
// Naive view: a collective in which this rank gets something needs every member.
// Expected: completes.
#include <mpi.h>

#include <vector>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes(), .by_mpiexec = true};

int program(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int self = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &self);
  const int own = self == 0 ? 200 << 20 : 0;
  std::vector<char> from(static_cast<std::size_t>(own) + 1);
  std::vector<char> to(from.size());
  const int counts[] = {own, 0};
  const int offsets[] = {0, 0};
  char word = 0;
  const auto in_turn = [&](auto call) {
    if (self == 1) MPI_Recv(&word, 1, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    call();
    if (self == 0) MPI_Send(&word, 1, MPI_BYTE, 1, 7, MPI_COMM_WORLD);
  };
  in_turn([&] {
    MPI_Alltoallv(from.data(), counts, offsets, MPI_BYTE, to.data(), counts, offsets, MPI_BYTE,
                  MPI_COMM_WORLD);
  });
  in_turn([&] {
    MPI_Gatherv(from.data(), own, MPI_BYTE, to.data(), counts, offsets, MPI_BYTE, 0,
                MPI_COMM_WORLD);
  });
  MPI_Finalize();
  return 0;
}
