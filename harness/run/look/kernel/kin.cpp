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
  std::unordered_map<pid_t, pid_t> rank_of;  // by process: itself, or the nearest rank above
  for (const pid_t rank : ranks) rank_of.emplace(rank, rank);
  for (const JobProcess& process : job) {
    std::vector<pid_t> way;
    pid_t at = process.pid;
    while (!rank_of.contains(at) && parents.contains(at)) {
      way.push_back(at);
      at = parents.at(at);
    }
    const auto known = rank_of.find(at);
    const pid_t rank = known == rank_of.end() ? kNobody : known->second;
    for (const pid_t one : way) rank_of.emplace(one, rank);
    if (ranks.contains(process.pid)) continue;
    bool has_launcher = false;
    for (auto up = parents.find(process.pid); up != parents.end(); up = parents.find(up->second)) {
      has_launcher = has_launcher || ranks_below_.contains(up->first);
    }
    if (rank == kNobody && !has_launcher) orphans_.push_back(process.key);
    below_[rank].push_back(process.key);
    if (rank != kNobody) below_ranks_.insert(process.pid);
  }
}

const std::vector<record::ProcessKey>& Kin::below(pid_t rank) const {
  static const std::vector<record::ProcessKey> kNone;
  const auto found = below_.find(rank);
  return found == below_.end() ? kNone : found->second;
}

}  // namespace gridlock::run
