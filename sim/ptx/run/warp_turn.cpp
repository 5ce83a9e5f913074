// Runs a warp's groups in turn, and releases lanes that wait too long at a join.
#include "sim/ptx/run/warp_turn.h"

#include <algorithm>
#include <ctime>

#include "sim/ptx/operations/control.h"
#include "sim/ptx/operations/groups.h"

namespace sim::ptx {
namespace {

constexpr int kInstructionsPerTurn = 4096;  // of a group
constexpr int kRoundsPerTurn = 8;           // of a warp whose groups differ
// How many turns lanes wait at a join: for lanes that spin or wait, and for lanes that move.
constexpr std::uint32_t kPatience = 16;
constexpr std::uint32_t kPatienceIdle = 2;
constexpr std::uint32_t kPatienceWithMovers = 1024;

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

// The interpreter's loop. Every function ends with a return, so `next` stays inside.
void run_group(Warp& w, int budget) {
  int left = budget;
  while (left-- > 0 && !w.stop) {
    const Instruction& i = *w.next++;
    Lanes lanes = w.lanes;
    if (i.guard != kNoGuard) {
      const Lanes p = predicate(w, i.guard);
      lanes &= i.guard_negated ? ~p : p;
      if (lanes == 0) continue;
    }
    i.run(w, i, lanes);
  }
  w.executed += static_cast<std::uint64_t>(budget - left - 1);
}

bool wakes(Group& group, std::int64_t& time, std::int64_t& first_wake) {
  if (time == 0) time = now();
  if (group.wake <= time) {
    group.state = Group::State::kReady;
    return true;
  }
  first_wake = first_wake == 0 ? group.wake : std::min(first_wake, group.wake);
  return false;
}

// Releases lanes at a join whose siblings do not come: the siblings may wait for what these do
// next.
bool release_who_waited(Warp& w, bool moved, bool idle) {
  const std::uint32_t patience = moved ? kPatienceWithMovers : idle ? kPatienceIdle : kPatience;
  for (const auto& group : w.groups) {
    if (group->state != Group::State::kAtJoin || ++group->waited <= patience) continue;
    release_early(w, *group);
    return true;
  }
  return false;
}

}  // namespace

Turn take_turn(Warp& w, bool idle) {
  Turn turn;
  if (const std::uint64_t generation = w.block->launched->memory->generation();
      generation != w.generation) {
    w.remembered.fill({});
    w.generation = generation;
  }
  std::int64_t time = 0;
  // Whether the group has moved.
  const auto give_turn = [&](Group& group) {
    if (group.state == Group::State::kAsleep && !wakes(group, time, turn.wake)) return false;
    if (group.state != Group::State::kReady) return false;
    resume(w, group);
    run_group(w, kInstructionsPerTurn);
    keep(w);
    const Group* after = w.group;
    if (after != nullptr && after->state == Group::State::kAsleep)
      turn.wake = turn.wake == 0 ? after->wake : std::min(turn.wake, after->wake);
    return after == nullptr || (after->spins < kSpinning && after->state != Group::State::kAsleep);
  };
  // Each group gets a turn, in order. While some move, all get another one: on a GPU too, the sides
  // of a branch come soon behind each other, and do not hold the warp back behind the others.
  for (int round = 0; round < kRoundsPerTurn; ++round) {
    bool moved = false;
    const std::size_t count = w.groups.size();
    for (std::size_t k = 0; k < count && !w.groups.empty() && w.fault == nullptr; ++k) {
      moved = give_turn(*w.groups[w.turn++ % w.groups.size()]) || moved;
    }
    turn.progressed = turn.progressed || moved;
    if (w.groups.size() <= 1 || w.fault != nullptr) break;
    merge(w);
    if (!moved) break;
  }
  if (w.groups.size() > 1 && release_who_waited(w, turn.progressed, idle)) turn.progressed = true;
  return turn;
}

}  // namespace sim::ptx
