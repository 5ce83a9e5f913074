// Walks up from each process until a rank, or one whose rank is known.
#include "harness/run/look/kernel/kin.h"

namespace gridlock::run {

Kin::Kin(std::span<const JobProcess> job, const std::unordered_set<pid_t>& ranks) {
  std::unordered_map<pid_t, pid_t> parents;
  for (const JobProcess& process : job) parents.emplace(process.pid, process.parent);
  for (const pid_t rank : ranks) {
    for (auto at = parents.find(rank); at != parents.end(); at = parents.find(at->second)) {
      ++ranks_below_[at->second];
    }
  }
  // By process: itself, the nearest rank above, or one of these.
  constexpr pid_t kLauncher = -1;
  constexpr pid_t kNobody = 0;
  std::unordered_map<pid_t, pid_t> rank_of;
  for (const pid_t rank : ranks) rank_of.emplace(rank, rank);
  std::vector<record::ProcessKey> orphans;
  for (const JobProcess& process : job) {
    std::vector<pid_t> way;
    bool has_launcher = false;
    pid_t at = process.pid;
    while (!rank_of.contains(at) && parents.contains(at)) {
      way.push_back(at);
      has_launcher = has_launcher || ranks_below_.contains(at);
      at = parents.at(at);
    }
    const auto known = rank_of.find(at);
    const pid_t at_top = has_launcher ? kLauncher : kNobody;
    const pid_t rank = known == rank_of.end() ? at_top : known->second;
    for (const pid_t one : way) rank_of.emplace(one, rank);
    if (ranks.contains(process.pid) || rank == kLauncher) continue;
    of_ranks_.insert(process.pid);
    (rank == kNobody ? orphans : started_by_[rank]).push_back(process.key);
  }
  for (const pid_t rank : ranks) {
    std::vector<record::ProcessKey>& its = started_by_[rank];
    its.insert(its.end(), orphans.begin(), orphans.end());
  }
}

const std::vector<record::ProcessKey>& Kin::started_by(pid_t rank) const {
  static const std::vector<record::ProcessKey> kNone;
  const auto found = started_by_.find(rank);
  return found == started_by_.end() ? kNone : found->second;
}

}  // namespace gridlock::run
