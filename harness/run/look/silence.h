// When a job in which nothing moves counts as silent: a pure function of what was measured.
#pragma once

#include <string>
#include <vector>

#include "harness/base/limits.h"
#include "harness/record/snapshot.h"

namespace gridlock::run {

struct Silence {
  Duration wall{};  // since anything last moved
  // What the job's threads together were ready to run without a core, or one waited for the disk.
  Duration starved{};
};

// How long the ranks certainly had to move and did not: they may wait for a core one after the
// other, each for the one before it. Ranks that sleep had all the time there was, starved ones
// none.
inline Duration idle(const Silence& silence) { return silence.wall - silence.starved; }

// Whether a rank that lives is not past its initialisation, or makes another communicator: on GPUs
// either takes seconds, in which nothing of it is recorded.
bool is_initialising(const record::Snapshot& snapshot);

// The limit that holds: longer unless all ranks are `under_way`, past their initialisation and not
// about to end. Both are the job's own where it asks for more, and shrink with it where it asks for
// less.
Duration silence_limit(bool under_way, Duration stall_limit);

// Whether the job had `limit` to move in, or wall time is up.
bool is_over(const Silence& silence, Duration limit);

// "No rank has made progress for 1003 ms.", and which ranks still begin or already end.
std::string sentence(const Silence& silence, const std::vector<int>& initialising,
                     const std::vector<int>& ending);

}  // namespace gridlock::run
