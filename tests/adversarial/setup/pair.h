// A TCP connection between ranks 0 and 1, in a training of two.
#pragma once

#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/store.h"

inline int connect_pair(const Training& training) {
  const int listener = rank() == 0 ? store_listener() : -1;
  training.step();
  const int peer = rank() == 0 ? accept(listener, nullptr, nullptr) : store_client();
  close(listener);
  return peer;
}

// Ends once it is told to, and leaves a file behind.
[[noreturn]] inline void end_when_told(int peer) {
  be_told(peer);
  std::fclose(std::fopen(shared_file("done").c_str(), "w"));
  std::_Exit(0);
}

// Some requests of rank 0's that rank 1 answers at once. After that, rank 1's kernel expects that
// the next request is answered too, and delays its acknowledgement (by some 40 ms) to send it
// along.
inline void answer_requests(int peer) {
  for (int i = 0; i < 8; ++i) {
    if (rank() == 0) tell(peer);
    be_told(peer);
    if (rank() == 1) tell(peer);
  }
}

// Rank 0's connection holds no more than one unacknowledged message of this size.
inline constexpr std::size_t kFills = 8192;
inline void keep_send_buffer_small(int peer) {
  const int least = 1;
  demand(setsockopt(peer, SOL_SOCKET, SO_SNDBUF, &least, sizeof least) == 0);
}
