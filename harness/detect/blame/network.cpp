// Counts in how many dead connections each host takes part.
#include "harness/detect/blame/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace gridlock::detect {
namespace {

using record::Snapshot;

struct Dead {
  const Snapshot* from;
  const record::Unanswered* what;
  std::string to;  // the other host's name; "": nobody of the job
};

std::vector<Dead> dead_connections(std::span<const Snapshot> snapshots) {
  std::map<std::int32_t, const Snapshot*> by_rank;
  for (const Snapshot& snapshot : snapshots) by_rank[snapshot.rank] = &snapshot;
  std::vector<Dead> all;
  for (const Snapshot& snapshot : snapshots) {
    for (const record::Unanswered& one : snapshot.unanswered) {
      const auto peer = by_rank.find(one.rank);
      all.push_back({&snapshot, &one, peer == by_rank.end() ? "" : peer->second->host});
    }
  }
  return all;
}

// The hosts to blame.
std::set<std::string> cut_off(const std::vector<Dead>& dead) {
  std::set<std::string> without_link;
  std::map<std::string, std::size_t> takes_part;
  for (const Dead& one : dead) {
    if (!one.what->has_route) without_link.insert(one.from->host);
    if (!one.what->peer_has_route) without_link.insert(one.to);
    for (const std::string& host : std::set<std::string>{one.from->host, one.to}) {
      ++takes_part[host];
    }
  }
  if (!without_link.empty()) return without_link;
  std::set<std::string> in_all;
  std::set<std::string> in_any;
  for (const auto& [host, count] : takes_part) {
    in_any.insert(host);
    if (count == dead.size()) in_all.insert(host);
  }
  return in_all.size() == 1 ? in_all : in_any;
}

std::string sentence(const Dead& dead) {
  const record::Unanswered& what = *dead.what;
  std::string to = what.to;
  if (!dead.to.empty()) to = fmt::format("rank {} on {} ({})", what.rank, dead.to, what.to);
  const std::string sent = fmt::format("has sent {} bytes to {}, {} times again without an answer",
                                       what.bytes, to, what.tries);
  std::string text = fmt::format("on {} {}", dead.from->host, sent);
  if (!what.has_route) {
    text += fmt::format(": no route leads there, so the link of {} is down", dead.from->host);
  } else if (!what.peer_has_route) {
    text += fmt::format(": no route leads back, so the link of {} is down", dead.to);
  }
  return text;
}

}  // namespace

Verdict blame_network(std::span<const Snapshot> snapshots) {
  std::vector<Dead> dead = dead_connections(snapshots);
  Verdict verdict;
  for (const Dead& one : dead) {
    if (!one.to.empty()) continue;
    verdict.notes.emplace_back(
        phrase::Said{fmt::format("Rank {} {}.", one.from->rank, sentence(one))});
  }
  std::erase_if(dead, [](const Dead& one) { return one.to.empty(); });
  if (dead.empty()) return verdict;
  verdict.cause = Cause::network;
  const std::set<std::string> hosts = cut_off(dead);
  for (const Snapshot& snapshot : snapshots) {
    if (!hosts.contains(snapshot.host)) continue;
    verdict.culprits.push_back(snapshot.rank);
  }
  std::ranges::sort(verdict.culprits);
  for (const Snapshot& snapshot : snapshots) {
    // One connection says enough of a rank: the one that has most to send.
    const Dead* most = nullptr;
    for (const Dead& one : dead) {
      const bool is_told =
          one.from == &snapshot && (hosts.contains(one.from->host) || hosts.contains(one.to));
      if (is_told && (most == nullptr || one.what->bytes > most->what->bytes)) most = &one;
    }
    if (most == nullptr) continue;
    verdict.faults.push_back({{snapshot.rank}, phrase::Said{sentence(*most)}});
  }
  return verdict;
}

}  // namespace gridlock::detect
