// Rank 1's thread for checkpoints listens for 2.5 s at a socket with a time limit (SO_RCVTIMEO),
// hears nothing, and makes its first recorded call, for which rank 0 waits. Rank 1's main thread
// waits for rank 0 meanwhile.
// Naive view: a thread that was silent so far stays silent; so both ranks wait for each other.
// Expected: completes.
#include <sys/socket.h>

#include "tests/adversarial/setup/first_call.h"

constinit const Trial trial{.expect = completes()};

int program(int, char**) {
  return first_call_after([] {
    int ends[2] = {};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) std::_Exit(5);
    const timeval limit{.tv_sec = 2, .tv_usec = 500'000};
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    char byte = 0;
    if (recv(ends[0], &byte, 1, 0) >= 0) std::_Exit(6);
  });
}
