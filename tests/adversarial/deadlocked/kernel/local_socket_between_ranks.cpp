// Rank 0 waits on a local socket for a message that rank 1 sends after a collective.
// Expected: deadlock; a cycle of both, through the socket.
#include <sys/un.h>

#include <cstring>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = deadlock("cycle", {0, 1}).assuming("socket")};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, shared_file("s").c_str(), sizeof address.sun_path - 1);
  const auto* name = reinterpret_cast<const sockaddr*>(&address);
  int end = socket(AF_UNIX, SOCK_STREAM, 0);
  char word = 0;
  if (rank() == 0) {
    if (bind(end, name, sizeof address) != 0 || listen(end, 1) != 0) return 5;
    const int listener = end;
    end = accept(listener, nullptr, nullptr);
    close(listener);
    if (recv(end, &word, 1, 0) != 1) return 6;
  } else {
    while (connect(end, name, sizeof address) != 0) pause_ms(1);
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 1 && send(end, "x", 1, 0) != 1) return 7;
  return 0;
}
