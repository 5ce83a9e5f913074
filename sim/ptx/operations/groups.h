// How a warp's lanes diverge and rejoin.
//
// A branch that lanes take differently makes a join at its nearest post-dominator and splits the
// group. Lanes that reach the join wait until all expected lanes have come. Then they go on as one
// group. Waiting affects only speed, never correctness: the scheduler releases lanes that have
// waited too long (release_early), because their siblings may spin on what they do next.
#pragma once

#include "sim/ptx/operations/rows.h"

namespace sim::ptx {

constexpr std::uint32_t kNoJoin = Join::kAtReturn - 1;  // the ways never meet

// resume makes the group the warp's current one. keep saves the current group's progress in it.
void resume(Warp& w, Group& group);
void keep(Warp& w);

// Sets the warp's base addresses to the frame's.
void enter(Warp& w, const Frame& frame);

// The current group's lanes will split, and rejoin at instruction `at`.
void expect_join(Warp& w, std::uint32_t at);
// `lanes` of the current group go on at `next` as a new group.
void split(Warp& w, Lanes lanes, const Instruction* next);
// The current group has reached its join. True if all have come, so it goes on at once.
bool arrive(Warp& w, const Instruction* here);
// `lanes` of the current group have ended.
void end(Warp& w, Lanes lanes);

// Merges groups that are at the same place, in the same call, with the same join ahead.
void merge(Warp& w);
// A group that waits at a join for lanes that may not come goes on alone.
void release_early(Warp& w, Group& group);

}  // namespace sim::ptx
