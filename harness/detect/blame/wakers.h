// For whom a rank's sleeping threads wait in the end.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// A thread may wait for a helper, or for another thread of its process, which waits for another
// rank itself: a server in the rank waits for its clients. At a futex, where a thread may wait for
// any other one, these count: threads that make recorded calls, the one that it joins or that holds
// its lock, and else those that sleep at one pipe or socket, such as a reader that fills a queue.
class Wakers {
 public:
  explicit Wakers(const WaitGraph& graph);

  // The other ranks that `process` waits for, ascending. Empty if there are none, or if a thread
  // that makes recorded calls is awake.
  std::vector<Index> of(Index process);
  // The other ranks at which event loops of `process` wait, ascending. Empty if of() is not, or if
  // no thread that makes recorded calls waits at a futex, where such a loop may wake it.
  std::vector<Index> of_loops(Index process);
  // Whether any of its threads is asleep, recorded or not.
  bool has_sleeper(Index process) const;

 private:
  void add(const record::Sleep& sleep, record::ProcessKey own);
  void add(record::ProcessKey waker, const record::Sleep& sleep, record::ProcessKey own);
  void follow(record::ProcessKey process, record::ProcessKey own);
  void follow_one(record::ProcessKey process, std::int64_t tid);
  void follow_readers(record::ProcessKey process);
  std::vector<Index> ranks_but(Index process);

  const WaitGraph& graph_;
  // Threads that are in no box.
  std::unordered_map<record::ProcessKey, std::vector<const record::Sleeper*>> unrecorded_;
  std::unordered_map<record::ProcessKey, Index> of_key_;
  std::vector<Index> ranks_;
  std::unordered_set<record::ProcessKey> followed_;
  std::unordered_set<record::ProcessKey> read_;
  std::unordered_set<std::int64_t> ones_;
};

}  // namespace gridlock::detect
