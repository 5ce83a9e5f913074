// Divides the ranks among the agents.
#include "harness/run/start/share.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "harness/base/error.h"

namespace gridlock::run {

std::vector<Share> divide(int ranks, const std::vector<int>& split,
                          const std::vector<std::string>& hosts) {
  const int agents = static_cast<int>(hosts.size());
  if (!split.empty() && split.size() != hosts.size()) {
    throw UsageError(fmt::format(
        "-n {} is for {} agents, and there {} here; give one number for each agent, or one number "
        "that is divided evenly",
        fmt::join(split, "+"), split.size(), agents == 1 ? "is 1" : fmt::format("are {}", agents)));
  }
  std::vector<Share> shares;
  std::map<std::string, int> local_ranks;
  int first = 0;
  for (int agent = 0; agent < agents; ++agent) {
    const auto index = static_cast<std::size_t>(agent);
    const int own =
        split.empty() ? ranks / agents + (agent < ranks % agents ? 1 : 0) : split[index];
    int& local = local_ranks[hosts[index]];
    shares.push_back({.first = first, .ranks = own, .first_local = local, .local_ranks = 0});
    first += own;
    local += own;
  }
  for (std::size_t i = 0; i < shares.size(); ++i) shares[i].local_ranks = local_ranks[hosts[i]];
  return shares;
}

}  // namespace gridlock::run
