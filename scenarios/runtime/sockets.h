// Reads and writes on the rendezvous' sockets. `peer` is the rank at the other end, for the error
// message.
//   Errors  RendezvousError if the peer has left, or says nothing until `end`
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace gridlock {

using Clock = std::chrono::steady_clock;

int remaining_ms(Clock::time_point end);

// Whether there is something to read, or the peer has left.
//   Blocks  until then, at most until `end`
//   Errors  none
bool is_readable(int socket, Clock::time_point end);

//   Blocks  until there is something to read, or the peer has left; at most until `end`
void wait_readable(int socket, Clock::time_point end, int peer);

// Reads exactly `size` bytes.
//   Blocks  until they are there; without an end perhaps for ever, in a plain read
void read_all(int socket, void* data, std::size_t size, int peer, const Clock::time_point* end);
void write_all(int socket, const void* data, std::size_t size, int peer);

// A message is a text with its length in front.
void write_message(int socket, const std::string& message, int peer);
std::string read_message(int socket, int peer, Clock::time_point end);

}  // namespace gridlock
