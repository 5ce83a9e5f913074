// How a warp's lanes part and meet.
//
// A branch that lanes take differently makes a join at its nearest post-dominator and splits the
// group. Who reaches the join waits there until all that are expected have come; then they go on as
// one group. Waiting is a matter of speed, never of correctness: the scheduler releases who has
// waited too long (release_early), as their siblings may spin on what they do next.
#pragma once

#include "sim/ptx/operations/rows.h"

namespace sim::ptx {

constexpr std::uint32_t kNoJoin = Join::kAtReturn - 1;  // the ways never meet

// The group becomes the warp's current one, or what it has come to is kept in it.
void resume(Warp& w, Group& group);
void keep(Warp& w);

// Puts the frame's bases in place.
void enter(Warp& w, const Frame& frame);

// The current group's lanes will part and meet at instruction `at`.
void expect_join(Warp& w, std::uint32_t at);
// `lanes` of the current group go on at `next` as a group of their own.
void split(Warp& w, Lanes lanes, const Instruction* next);
// The current group has come to its join; true where it goes on at once, as all have come.
bool arrive(Warp& w, const Instruction* here);
// `lanes` of the current group have ended.
void end(Warp& w, Lanes lanes);

// Groups that are at the same place, in the same call, with the same join ahead, are one again.
void merge(Warp& w);
// Who waits at a join without hope of company in time goes on alone.
void release_early(Warp& w, Group& group);

}  // namespace sim::ptx
