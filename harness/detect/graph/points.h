// Where things that can never happen meet: the places at which ranks wait, and who they wait for.
// This is the wait-for graph between ranks that blame is read from.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// One place: a slot, a message, a communicator call.
struct Point {
  enum class Kind : std::uint8_t {
    everyone,       // a collective's slot, all members needed
    root,           // a collective's slot, its root needed
    message,        // the other side of one message
    connect,        // a slot whose members' hosts connect
    connect_pair,   // the first message of two ranks, whose hosts connect
    gathering,      // a communicator call
    host_function,  // one that does not return: nobody is missing, it leads nowhere
  };
  bool at_slot() const {
    return kind == Kind::everyone || kind == Kind::root || kind == Kind::connect;
  }
  Kind kind = Kind::everyone;
  Index at = 0;                   // index of the slot, message, gathering or operation in the graph
  Index communicator = kNoIndex;  // of a host function: none
  Index members = 0;              // how many take part
  Index came = 0;                 // of them, how many have called and can get there
  bool misfit = false;            // the calls that met here can never fit
  std::vector<Index> waiting = {};  // processes, ascending
  struct Missing {
    Index process = 0;
    bool enqueued = false;  // called, but its stream cannot come to it
    bool left = false;      // closed or aborted the communicator
  };
  std::vector<Missing> missing = {};  // ascending by process
};

// A rank at a point: what it waits in there.
struct Waiter {
  Index process = 0;
  Index point = 0;
  Index operation = kNoIndex;  // in the graph; kNoIndex: a communicator call
  Index thread = kNoIndex;     // that waits in the call itself
};

struct Points {
  std::vector<Point> points;
  std::vector<Waiter> waiters;  // by process
};

// All points at which something is stuck for good, as far as `graph` says.
Points stuck_points(const WaitGraph& graph);

}  // namespace gridlock::detect
