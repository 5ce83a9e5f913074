// Sets of wakers add up: a wait for several things may end by each of them.
#include "harness/run/look/kernel/descriptors/wakers.h"

#include <algorithm>

namespace gridlock::run {

void Wakers::add(const Wakers& more) {
  keys.insert(keys.end(), more.keys.begin(), more.keys.end());
  anybody |= more.anybody;
  has_name |= more.has_name;
  has_far_limit |= more.has_far_limit;
  far_ends.insert(far_ends.end(), more.far_ends.begin(), more.far_ends.end());
  listeners.insert(listeners.end(), more.listeners.begin(), more.listeners.end());
  connected.insert(connected.end(), more.connected.begin(), more.connected.end());
}

bool Wakers::are_listed() const { return !has_far_limit && far_ends.empty(); }

bool Wakers::serves_all_ranks(std::span<const JobProcess> job, record::ProcessKey server) const {
  const auto serves = [this](const JobProcess& process) {
    return std::ranges::all_of(listeners, [&](const std::string& listener) {
      return std::ranges::find(connected, std::pair(listener, process.key)) != connected.end();
    });
  };
  bool serves_another = false;
  for (const JobProcess& process : job) {
    if (!process.is_rank) continue;
    if (!serves(process)) return false;
    serves_another |= process.key != server;
  }
  return serves_another;
}

}  // namespace gridlock::run
