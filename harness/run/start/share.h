// How a job's ranks are divided among the agents that start them.
#pragma once

#include <string>
#include <vector>

namespace gridlock::run {

// The ranks of one agent: consecutive ones.
struct Share {
  int first = 0;
  int ranks = 0;
  // On the agent's host, which it may share with others: LOCAL_RANK of its first rank, and
  // LOCAL_WORLD_SIZE.
  int first_local = 0;
  int local_ranks = 0;

  int end() const { return first + ranks; }
};

// `ranks` divided among `hosts.size()` agents on the hosts of these names, in their order: as
// `split` says, or evenly (the first ones get what does not come out even) where it is empty.
//   Errors   UsageError when `split` is for another number of agents
std::vector<Share> divide(int ranks, const std::vector<int>& split,
                          const std::vector<std::string>& hosts);

}  // namespace gridlock::run
