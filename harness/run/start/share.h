// How a job's ranks are divided among the agents that start them.
#pragma once

#include <string>
#include <vector>

namespace gridlock::run {

// One agent's ranks, which are consecutive.
struct Share {
  int first = 0;
  int ranks = 0;
  // On the agent's host, which other agents may share: LOCAL_RANK of its first rank, and
  // LOCAL_WORLD_SIZE.
  int first_local = 0;
  int local_ranks = 0;

  int end() const { return first + ranks; }
};

// Divides `ranks` among `hosts.size()` agents on the named hosts, in order: as `split` says, or, if
// it is empty, evenly, with one more for the first agents if there is a remainder.
//   Errors   UsageError if `split` is for another number of agents
std::vector<Share> divide(int ranks, const std::vector<int>& split,
                          const std::vector<std::string>& hosts);

}  // namespace gridlock::run
