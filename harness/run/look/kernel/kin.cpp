// Walks up from each process until a rank, or one whose rank is known.
#include "harness/run/look/kernel/kin.h"

namespace gridlock::run {

Kin::Kin(std::span<const JobProcess> job, const std::unordered_set<pid_t>& ranks) {
  std::unordered_map<pid_t, pid_t> parents;
  for (const JobProcess& process : job) parents.emplace(process.pid, process.parent);
  for (const pid_t rank : ranks) rank_of_.emplace(rank, rank);
  for (const JobProcess& process : job) {
    std::vector<pid_t> way;
    pid_t at = process.pid;
    while (!rank_of_.contains(at) && parents.contains(at)) {
      way.push_back(at);
      at = parents.at(at);
    }
    const auto known = rank_of_.find(at);
    const pid_t rank = known == rank_of_.end() ? kNobody : known->second;
    for (const pid_t one : way) rank_of_.emplace(one, rank);
    all_.push_back(process.key);
    if (ranks.contains(process.pid)) {
      keys_.emplace(process.pid, process.key);
    } else {
      below_[rank].push_back(process.key);
    }
  }
}

std::vector<record::ProcessKey> Kin::family_of(pid_t process) const {
  const auto found = rank_of_.find(process);
  if (found == rank_of_.end() || found->second == kNobody) return all_;
  const std::vector<record::ProcessKey>& own = below(found->second);
  const std::vector<record::ProcessKey>& of_nobody = below(kNobody);
  std::vector<record::ProcessKey> family(own);
  family.insert(family.end(), of_nobody.begin(), of_nobody.end());
  if (const auto rank = keys_.find(found->second); rank != keys_.end()) {
    family.push_back(rank->second);
  }
  return family;
}

const std::vector<record::ProcessKey>& Kin::below(pid_t rank) const {
  static const std::vector<record::ProcessKey> kNone;
  const auto found = below_.find(rank);
  return found == below_.end() ? kNone : found->second;
}

}  // namespace gridlock::run
