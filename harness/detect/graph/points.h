// The places at which ranks wait for what can never happen, and whom they wait for. From this
// wait-for graph between ranks, blame is derived.
#pragma once

#include <cstdint>
#include <vector>

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// One place: a slot, a message, a communicator call.
struct Point {
  enum class Kind : std::uint8_t {
    everyone,      // a collective's slot, all members needed
    root,          // a collective's slot, its root needed
    message,       // the other side of one message
    connect,       // a slot at which the members' hosts connect
    connect_pair,  // a first message, at which two ranks' hosts connect
    gathering,     // a communicator call
    graphs,        // the end of a communicator that graphs of the rank still contain
    // No rank is missing at these, so they lead nowhere.
    host_function,  // one that does not return
    device_work,    // unrecorded work in front of an operation
    device_wait,    // unrecorded work that a host thread waits for
    inside_nccl,    // the end of a communicator, for which every member has come
  };
  bool at_slot() const {
    return kind == Kind::everyone || kind == Kind::root || kind == Kind::connect;
  }
  Kind kind = Kind::everyone;
  Index at = 0;  // index of the slot, message, gathering, operation or thread in the graph
  Index communicator = kNoIndex;    // none for a host function
  Index members = 0;                // how many take part
  Index came = 0;                   // how many of them have called and can get there
  bool misfit = false;              // the calls here can never fit together
  std::vector<Index> waiting = {};  // processes, ascending
  struct Missing {
    Index process = 0;
    bool enqueued = false;  // it has called, but its stream cannot get there
    bool left = false;      // closed or aborted the communicator
  };
  std::vector<Missing> missing = {};  // ascending by process
};

// Whether only its own device holds the rank.
inline bool is_on_device(const Point& point) {
  return point.kind == Point::Kind::device_work || point.kind == Point::Kind::device_wait;
}

// Whether the rank's own code, NCCL or device holds it, and no other rank.
inline bool is_its_own(const Point& point) {
  return point.kind == Point::Kind::host_function || point.kind == Point::Kind::inside_nccl ||
         is_on_device(point);
}

// A rank at a point, and what it waits in.
struct Waiter {
  Index process = 0;
  Index point = 0;
  Index operation = kNoIndex;  // in the graph; kNoIndex: a communicator call
  Index thread = kNoIndex;     // the thread that waits in the call itself
};

struct Points {
  std::vector<Point> points;
  std::vector<Waiter> waiters;  // by process
};

// All points at which `graph` says that something is stuck for good.
Points stuck_points(const WaitGraph& graph);

}  // namespace gridlock::detect
