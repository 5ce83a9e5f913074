// Communicator calls in which members wait for each other: init, split, finalize, destroy, abort.
#pragma once

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// Puts all threads that wait in the same call of the same communicator into one gathering.
void find_gatherings(WaitGraph& graph);
// Has each gathering need the members that have not made the call.
void need_gatherings(WaitGraph& graph);
// Whether the thread destroys or aborts a communicator that has other members in this process: the
// last of them waits for all, and the others return.
//   Source  NCCL 2.28, src/init.cc, commReclaim
bool leaves_it_to_others(const WaitGraph& graph, Index thread);
// Whether the thread ends a communicator, and NCCL waits until the process has destroyed the CUDA
// graphs that contain the communicator's calls.
//   Source  NCCL 2.28, src/init.cc, commDestroySync
bool is_held_by_graphs(const WaitGraph& graph, Index thread);
// Whether any thread of the process does, for this entry.
bool is_held_by_graphs(const WaitGraph& graph, Index process, Index entry);
// Whether the member has revoked the communicator in our own NCCL, and not closed it: the others'
// ends wait until it has.
bool is_revoked_only(const WaitGraph& graph, Index entry);
// Whether the member closes the communicator, and its own work there can never end: the others wait
// for that in our own NCCL.
bool is_held_by_own_work(const WaitGraph& graph, Index entry);
// Has a thread need its gathering and, if the call closes the communicator, what is under way on
// it.
void wait_for_gathering(WaitGraph& graph, Index thread);

}  // namespace gridlock::detect
