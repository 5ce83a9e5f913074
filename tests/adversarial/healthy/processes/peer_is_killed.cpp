// Ranks 0 and 1 are stuck with each other: rank 0 in an all-reduce, rank 1 in a read from a socket
// that rank 0 holds. Rank 2, the job's own watchdog, kills rank 0 a while later. So rank 1 reads
// the connection's end, and goes on without it.
// Naive view: rank 1 waits for rank 0 alone, which can never write.
// Expected: rank 1 ends by itself; the job's end is that rank 0 was killed.
#include <sys/socket.h>
#include <sys/un.h>

#include <csignal>
#include <cstring>
#include <fstream>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = ends("crashes", "", {0}).or_as("crashes", "", {1}),
                            .ranks = 3};

namespace {

sockaddr_un address() {
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::strncpy(to.sun_path, shared_file("s").c_str(), sizeof to.sun_path - 1);
  return to;
}

}  // namespace

int program(int, char**) {
  ncclComm_t world = join_world();
  ncclComm_t pair = nullptr;
  check(ncclCommSplit(world, rank() < 2 ? 0 : 1, rank(), &pair, nullptr));
  const cudaStream_t stream = make_stream();
  float* data = device_floats();
  const sockaddr_un at = address();
  const int own = socket(AF_UNIX, SOCK_STREAM, 0);
  if (rank() == 0) {
    std::ofstream(shared_file("pid")) << getpid();
    if (bind(own, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) return 5;
    listen(own, 1);
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 0) {
    const int peer = accept(own, nullptr, nullptr);
    if (peer < 0) return 5;
    all_reduce(pair, stream, data);
    check(cudaStreamSynchronize(stream));
  } else if (rank() == 1) {
    if (connect(own, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0) return 6;
    char byte = 0;
    if (recv(own, &byte, 1, 0) != 0) return 7;
    std::puts("rank 1 goes on without rank 0");
    check(ncclCommAbort(pair));
  } else {
    pause_ms(2000);
    pid_t first = 0;
    std::ifstream(shared_file("pid")) >> first;
    kill(first, SIGKILL);
  }
  check(ncclCommAbort(world));
  return 0;
}
