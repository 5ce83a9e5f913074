// Who waits for whom: a graph of processes, the points at which they wait, and their sleeps outside
// of recorded calls that only another rank can end.
#pragma once

#include <vector>

#include "harness/detect/graph/components.h"
#include "harness/detect/graph/points.h"

namespace gridlock::detect {

struct WaitsFor {
  Digraph edges;               // from a waiter to its point or sleep, from there to those missing
  std::vector<bool> involved;  // by node: waits, is waited for, or is a point
  std::vector<bool> by_loop;   // by process: it sleeps for its event loop, which most ranks do
  std::vector<std::vector<Index>> missed_at;  // by process: the points at which it is missing

  // Nodes: processes first, then points, then a sleep for each process.
  Index processes = 0;
  Index points = 0;
  bool is_process(Index node) const { return node < processes; }
  bool is_sleep(Index node) const { return node >= processes + points; }
  Index point_of(Index node) const { return is_sleep(node) ? kNoIndex : node - processes; }
};

// A point has no outgoing edges if its calls do not fit or a member has left: it leads nowhere.
WaitsFor waits_for(const WaitGraph& graph, const Points& points);

// A member that closed the communicator will not come, whatever else it does.
bool has_left(const WaitGraph& graph, const Point::Missing& one);

// Whether members wait there for a communicator to form.
bool is_init(const WaitGraph& graph, const Point& point);

}  // namespace gridlock::detect
