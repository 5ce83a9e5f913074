// Rank 0 waits on a local socket for a message, which a thread of rank 1 sends after 400 ms.
// Meanwhile rank 1's main thread waits for rank 0 in a collective.
// Naive view: rank 0 waits for rank 1 and rank 1 for rank 0.
// Expected: completes.
#include <sys/un.h>

#include <cstring>
#include <thread>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, shared_file("s").c_str(), sizeof address.sun_path - 1);
  const int end = socket(AF_UNIX, SOCK_DGRAM, 0);
  std::thread speaker;
  if (rank() == 0) {
    char word = 0;
    if (bind(end, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return 5;
    if (recv(end, &word, 1, 0) != 1) return 6;
  } else {
    speaker = std::thread([&] {
      pause_ms(400);
      while (sendto(end, "x", 1, 0, reinterpret_cast<sockaddr*>(&address), sizeof address) != 1) {
        pause_ms(1);
      }
    });
  }
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (speaker.joinable()) speaker.join();
  return 0;
}
