// The other agents of a session, and through them the ranks that they start. The agent that has
// fellows leads: it divides a job's ranks, asks for looks at them and judges.
//
// A look is a round: everybody looks after the leader has asked, and the leader asks again only
// when all answers are in. So each look of a round is after every look of the round before, as it
// is where one agent looks at all ranks, and two rounds prove a deadlock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "harness/catalogue/gpus.h"
#include "harness/detect/calls/ledger.h"
#include "harness/record/snapshot.h"
#include "harness/run/job.h"
#include "harness/run/look/delays.h"
#include "harness/run/look/own_ranks.h"
#include "harness/run/look/starvation.h"

namespace gridlock::run {

class Fellows {
 public:
  // What a round found beside the snapshots.
  struct Looked {
    bool all_ended = true;  // all processes of the fellows had ended before they looked
    Duration cost{};        // what looking took the slowest of them, the way not counted
  };

  virtual ~Fellows() = default;

  // How many agents there are, with this one, and what the results say of each.
  struct Agent {
    std::string host;
    Share share;  // of the last job
  };
  virtual std::vector<Agent> agents() const = 0;
  // The GPUs that each agent's ranks may use, by agent, this one's first; asked once.
  //   Blocks   until all have answered, at most kGpuLimit
  virtual const std::vector<catalogue::Gpus>& gpus() = 0;
  // How far a time of another agent's ranks may be off on this one's clock, at most.
  virtual Duration clock_error() const = 0;

  // Why an agent is lost, with its number and host; "" while all are there. What is asked of a lost
  // agent is left out, so that a run can always be ended.
  virtual std::string lost() const = 0;
  // Looks whether an agent was lost meanwhile. Does not wait.
  virtual void check() = 0;
  // The ranks of the lost agents, ascending.
  virtual std::vector<int> lost_ranks() const = 0;

  // Divides the ranks of `job`, sets its share and the place where its ranks meet, and has the
  // fellows start theirs.
  //   Errors   UsageError when the job cannot be divided
  virtual void start(Job& job) = 0;
  // Why a fellow could not start its ranks; "" when all could.
  //   Blocks   until all have answered
  virtual std::string started() = 0;

  // Begins a round.
  virtual void ask(Depth depth, const detect::Ledger& ledger) = 0;
  // Ends it: `snapshots`, by rank, have what the fellows saw; those of this agent stay as they are.
  //   Blocks   until all have answered
  virtual Looked take(std::span<record::Snapshot> snapshots) = 0;

  // These ask all fellows and wait for their answers.
  virtual void read_modules(std::span<record::Snapshot> snapshots) = 0;
  virtual void add_hindrances(Hindrances& all) = 0;
  virtual void add_loads(GpuFigures& figures, std::size_t ranks) = 0;
  // How the fellows' ranks ended and what they said, as far as it is known now; `ranks`: by rank.
  virtual void collect(std::span<RankEnd> ranks) = 0;
  // Has all ranks killed; the second half waits until they are gone and says how many are not.
  virtual void kill() = 0;
  virtual std::size_t killed() = 0;
  // Ends the job after an error at any point: takes the answers that are still due, lest they be
  // taken for those to later questions, and has all ranks killed.
  //   Blocks   until all have answered
  virtual void call_off() = 0;
  // Has all fellows delay their ranks now and then, whatever job these are of, until it is over.
  virtual void begin_delays(std::uint64_t seed) = 0;
  // Ends that. Returns what all of them did.
  //   Blocks   until all have answered
  virtual Delayed end_delays() = 0;
  // The black box of a fellow's rank of the last job; empty when it is not to be had.
  virtual std::string box(int rank) = 0;
};

// `job` as this agent starts its part of it: with a place to meet, and divided where there are
// fellows, who are then starting theirs. `fellows` may be null.
//   Errors   UsageError when the job cannot be divided; MachineError when no port is free
Job begun(Job job, Fellows* fellows);

}  // namespace gridlock::run
