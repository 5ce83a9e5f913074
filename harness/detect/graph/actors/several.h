// Nodes that stand for several processes, and who they are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {

// These stand for several processes of the host that `key` is of, and stir if one of those does.
enum class Several : std::int8_t {
  anybody = -1,    // any process of the job
  of_ranks = -2,   // a rank, or a process that one has started
  launchers = -3,  // a process above a rank
};
inline record::ProcessKey several(const WaitGraph& graph, Several which, record::ProcessKey key) {
  return record::process_key(graph.shared_hosts.of(record::host_of(key)), static_cast<int>(which));
}

// Whether `key` is of one process, and does not stand for several.
inline bool is_process(record::ProcessKey key) {
  return static_cast<std::int32_t>(record::pid_of(key)) > 0;
}

inline bool has_ended_too(record::ProcessKey launcher) {
  return launcher == record::anybody_at(launcher);
}

inline record::ProcessKey who_may_restart(const WaitGraph& graph, record::ProcessKey launcher) {
  return has_ended_too(launcher) ? several(graph, Several::anybody, launcher) : launcher;
}

// Stirs if any process of the job does, on whatever host, or if nobody has looked at one.
constexpr record::ProcessKey kAnybodyOfJob = record::process_key(-1, -1);

// Whether the end of another process, which has a pipe or a socket, may end the sleep.
inline bool may_end_by_a_death(const record::Sleep& sleep, record::ProcessKey process) {
  const bool sleeps = sleep.asleep || sleep.by_clock;
  return sleeps && std::ranges::any_of(
                       sleep.wakers, [=](const record::ProcessKey key) { return key != process; });
}

// Calls `on_holder` for each process at another host that holds the other end. False: nobody is
// known to hold one of these ends.
template <typename OnHolder>
bool for_far_holders(const WaitGraph& graph, const record::Sleep& sleep, OnHolder on_holder) {
  return std::ranges::all_of(sleep.far_ends, [&](const std::string& name) {
    const auto [first, last] = graph.holders_of_far_ends.equal_range(name);
    std::for_each(first, last, [&](const auto& holder) { on_holder(holder.second); });
    return first != last;
  });
}

}  // namespace gridlock::detect
