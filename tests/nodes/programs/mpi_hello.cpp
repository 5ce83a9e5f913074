// Shows that MPI works on the field: prints its rank and host, adds up all ranks' numbers, then
// ends:
//   mpi_hello [wait]   `wait`: goes on until it is ended.
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "harness/agents/launcher.h"

int main(int count, char** arguments) {
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int sum = 0;
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  std::array<char, 256> host{};
  gethostname(host.data(), host.size());
  std::printf("rank %d of %d on %s, sum %d\n", rank, ranks, host.data(), sum);
  std::fflush(stdout);
  const bool waits = count > 1 && std::strcmp(arguments[1], "wait") == 0;
  if (waits) {
    for (;;) pause();
  }
  // Does not call MPI_Finalize, because over sockets it sometimes hangs. But it does not end
  // silently either, because hydra sometimes treats that as a death (docs/nodes.md).
  MPI_Barrier(MPI_COMM_WORLD);
  gridlock::agents::tell_launcher();
  std::_Exit(0);
}
