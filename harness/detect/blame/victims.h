// Ranks that miss a call only because they wait in one that comes before it.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "harness/detect/calls/ledger.h"
#include "harness/detect/graph/points.h"

namespace gridlock::detect {

// The others show the order: a rank that waits where they were before they made the call that it
// misses has left nothing out. One that waits behind it has. Only collectives have such an order.
class Victims {
 public:
  // `at`: where the ranks wait. `ledger` may be null: then there are no victims.
  Victims(const WaitGraph& graph, const Points& points, const Ledger* ledger,
          const std::vector<Index>& at)
      : graph_(graph), points_(points), ledger_(ledger), at_(at) {}

  // Whether the process that is missing at the point `missed` is a victim there.
  bool has(const Point::Missing& one, Index missed);

 private:
  // Of the ranks that have made both calls, how many more made that at `first` before that at
  // `second` than after it. 0 if all members have made one of them: nobody left that one out.
  int order(Index first, Index second);

  const WaitGraph& graph_;
  const Points& points_;
  const Ledger* ledger_;
  const std::vector<Index>& at_;
  std::map<std::pair<Index, Index>, int> orders_;
};

}  // namespace gridlock::detect
