// When a job in which nothing moves counts as silent: a pure function of what was measured.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/base/limits.h"
#include "harness/record/snapshot.h"

namespace gridlock::run {

struct Silence {
  Duration wall{};  // since anything last moved
  // How long the job's threads, added up, were ready to run without a core, or one waited for the
  // disk.
  Duration starved{};
};

// For how long the ranks could certainly have moved and did not. Starved time is a sum, because
// ranks may wait for a core one after the other, each for the one before it. Sleeping ranks had all
// the time, starved ones none.
inline Duration idle(const Silence& silence) { return silence.wall - silence.starved; }

// Whether a living rank is initialising, or is making another communicator. On GPUs either takes
// seconds, in which nothing is recorded.
bool is_initialising(const record::Snapshot& snapshot);

// The limit that applies. It is longer unless all ranks are `under_way`: past initialisation and
// not about to end, and some rank is left. If the job asks for a higher limit, that one applies; if
// it asks for a lower one, the longer limit shrinks in proportion.
Duration silence_limit(bool under_way, Duration stall_limit, bool on_gpus);

// Whether the job had `limit` in which it could have moved, or the wall time is over.
bool is_over(const Silence& silence, Duration limit);

// What may make a job silent.
struct Circumstances {
  std::vector<int> initialising = {};  // ranks
  std::vector<int> ending = {};
  bool no_rank_is_left = false;  // but who started them
  int watched = 0;               // ranks
  int of_job = 0;                // see ranks_of_job()
};

// How many ranks the job has by the ranks' own word (WORLD_SIZE); 0: none says.
int ranks_of_job(std::span<const record::Snapshot> snapshots);

// "No rank has made progress for 1003 ms.", and the circumstances.
std::string sentence(const Silence& silence, const Circumstances& circumstances);

}  // namespace gridlock::run
