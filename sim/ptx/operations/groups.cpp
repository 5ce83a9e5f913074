// Splits a warp's lanes into groups, and joins them again.
#include "sim/ptx/operations/groups.h"

#include <algorithm>

#include "sim/ptx/operations/meeting.h"

namespace sim::ptx {
namespace {

void remove_empty(Warp& w) {
  std::erase_if(w.groups, [&](const auto& group) {
    if (group->lanes != 0) return false;
    if (w.group == group.get()) w.group = nullptr;
    return true;
  });
}

Lanes parked_at(const Warp& w, const Join* join) {
  Lanes lanes = 0;
  for (const auto& group : w.groups) {
    if (group->state == Group::State::kAtJoin && group->join.get() == join) lanes |= group->lanes;
  }
  return lanes;
}

// All lanes that the join expects have come. `into` goes on for them.
void complete(Warp& w, const std::shared_ptr<Join>& join, Group& into) {
  for (const auto& group : w.groups) {
    if (group.get() == &into || group->state != Group::State::kAtJoin || group->join != join)
      continue;
    into.lanes |= group->lanes;
    group->lanes = 0;
  }
  into.state = Group::State::kReady;
  into.join = join->outer;
  into.spins = 0;
}

bool same_calls(const Frame* a, const Frame* b) {
  for (; a != b; a = a->caller.get(), b = b->caller.get()) {
    if (a == nullptr || b == nullptr) return false;
    if (a->function != b->function || a->back != b->back || a->registers != b->registers ||
        a->local != b->local) {
      return false;
    }
  }
  return true;
}

}  // namespace

void enter(Warp& w, const Frame& frame) {
  w.base[static_cast<int>(Base::kFrame)] = w.registers + frame.registers;
  w.base[static_cast<int>(Base::kConstants)] = frame.function->constants_base;
  auto* local = reinterpret_cast<std::uint64_t*>(
      w.special[static_cast<std::size_t>(Special::kFrameLocal)].data());
  for (unsigned l = 0; l < kLanes; ++l) local[l] = frame.local;
}

void resume(Warp& w, Group& group) {
  w.group = &group;
  w.next = group.next;
  w.lanes = group.lanes;
  w.stop = false;
  enter(w, *group.frame);
}

void keep(Warp& w) {
  if (w.group == nullptr) return;
  w.group->next = w.next;
  w.group->lanes = w.lanes;
}

void expect_join(Warp& w, std::uint32_t at) {
  Group& group = *w.group;
  if (at == kNoJoin) return;
  const Frame* frame = group.frame.get();
  if (group.join != nullptr && group.join->frame == frame && group.join->at == at) return;
  auto join = std::make_shared<Join>();
  join->at = at;
  join->frame = frame;
  join->expected = w.lanes;
  join->outer = group.join;
  group.join = std::move(join);
}

void split(Warp& w, Lanes lanes, const Instruction* next) {
  auto other = std::make_unique<Group>(*w.group);
  other->lanes = lanes;
  other->next = next;
  other->spins = 0;
  w.lanes &= ~lanes;
  w.group->lanes = w.lanes;
  w.groups.push_back(std::move(other));
}

bool arrive(Warp& w, const Instruction* here) {
  Group& group = *w.group;
  const std::shared_ptr<Join> join = group.join;
  group.lanes = w.lanes;
  group.next = here;
  group.state = Group::State::kAtJoin;
  group.waited = 0;
  w.next = here;
  if (parked_at(w, join.get()) != join->expected) {
    w.stop = true;
    return false;
  }
  complete(w, join, group);
  remove_empty(w);
  w.lanes = group.lanes;
  return true;
}

void end(Warp& w, Lanes lanes) {
  Group& group = *w.group;
  w.alive &= ~lanes;
  w.lanes &= ~lanes;
  keep(w);
  for (std::shared_ptr<Join> join = group.join; join != nullptr; join = join->outer) {
    join->expected &= ~lanes;
    if (join->expected == 0 || parked_at(w, join.get()) != join->expected) continue;
    const auto parked = std::find_if(w.groups.begin(), w.groups.end(), [&](const auto& other) {
      return other->state == Group::State::kAtJoin && other->join == join;
    });
    complete(w, join, **parked);
  }
  if (w.lanes == 0) w.stop = true;
  remove_empty(w);
  if (w.alive == 0) --w.block->alive;
  settle_meetings(w);
  settle_barriers(*w.block);
}

void merge(Warp& w) {
  bool merged = false;
  for (std::size_t a = 0; a < w.groups.size(); ++a) {
    Group& into = *w.groups[a];
    if (into.state != Group::State::kReady || into.lanes == 0) continue;
    for (std::size_t b = a + 1; b < w.groups.size(); ++b) {
      Group& from = *w.groups[b];
      if (from.state != Group::State::kReady || from.lanes == 0 || from.next != into.next ||
          from.join != into.join || !same_calls(from.frame.get(), into.frame.get())) {
        continue;
      }
      into.lanes |= from.lanes;
      from.lanes = 0;
      merged = true;
    }
  }
  if (merged) remove_empty(w);
}

void release_early(Warp& w, Group& group) {
  const std::shared_ptr<Join> join = group.join;
  join->expected &= ~parked_at(w, join.get());
  complete(w, join, group);
  remove_empty(w);
}

}  // namespace sim::ptx
