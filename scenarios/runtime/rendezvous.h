// How ranks communicate without NCCL: a star of sockets around rank 0. It needs no thread and no
// GPU.
#pragma once

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "scenarios/runtime/environment.h"

namespace gridlock {

struct RendezvousError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Another program listens at MASTER_PORT.
struct PortTaken : RendezvousError {
  using RendezvousError::RendezvousError;
};

class Rendezvous {
 public:
  // Rank 0 listens on MASTER_ADDR:MASTER_PORT, the others connect.
  //   Collective, Blocks  until all ranks are there, at most for `deadline`
  //   Errors              RendezvousError: who was missing, for how long, and what to look at;
  //                       PortTaken on rank 0
  explicit Rendezvous(const Environment& environment,
                      std::chrono::milliseconds deadline = std::chrono::seconds(60));
  ~Rendezvous();  // closes the sockets
  Rendezvous(const Rendezvous&) = delete;
  Rendezvous& operator=(const Rendezvous&) = delete;

  // Sends `mine` to all ranks. Returns all ranks' messages, by rank.
  //   Collective, Blocks  at most for the deadline
  std::vector<std::string> exchange(const std::string& mine);
  std::vector<int> exchange(int mine);

  // The ranks that are still there, in ascending order. All of them call it, and rank 0 must be
  // among them. It tells those who have not called yet: see anyone_has_left().
  //   Collective, Blocks  at most for the deadline
  std::vector<int> survivors();

  // The same if ranks may be out of reach. The others cannot tell such a rank from a slow one: it
  // counts as lost if it says nothing to rank 0 for `patience`.
  //   Collective, Blocks  for about `patience` if a rank is out of reach
  //   Errors              RendezvousError on a rank that hears nothing from rank 0 (for twice as
  //                       long)
  std::vector<int> survivors_within(std::chrono::milliseconds patience);

  // Rank 0's message, on all ranks of `among`, which is what survivors() has returned.
  //   Collective  among these ranks
  //   Blocks      at most for the deadline
  std::string from_rank_0(const std::vector<int>& among, const std::string& message);

  // Sends one byte from one rank to another. One of the two is rank 0.
  //   Blocks  signal: no. await_signal: for ever if it must, in a plain read of the socket.
  void signal(int to);
  void await_signal(int from);

  // Whether a rank has ended, as far as this rank knows. The sockets of all ranks end on rank 0; it
  // tells the others once it asks.
  //   Blocks  no
  bool anyone_has_left();
  //   Blocks  for ever if it must, in a plain read of the socket: until `peer` has ended
  void await_end(int peer);

 private:
  int socket_to(int rank) const;
  void tell_of_loss();

  int rank_;
  int world_size_;
  std::chrono::milliseconds deadline_;
  std::vector<int> sockets_;  // rank 0: by rank, -1 for itself; others: one, to rank 0
  bool told_ = false;         // rank 0 has told the others that a rank has left
};

}  // namespace gridlock
