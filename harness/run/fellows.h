// The other agents of a session, and through them the ranks that they start. The agent that has
// fellows leads: it divides a job's ranks, asks for looks at them and judges.
//
// A look is a round: all agents look after the leader has asked, and the leader asks again only
// when all answers are in. So each look of a round comes after every look of the round before, as
// if one agent looked at all ranks. Two rounds therefore prove a deadlock.
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
  // What a round found besides the snapshots.
  struct Looked {
    bool all_ended = true;  // all processes of the fellows had ended before they looked
    Duration cost{};        // the slowest fellow's looking time, without the network
  };

  virtual ~Fellows() = default;

  // All agents, including this one, as the results list them.
  struct Agent {
    std::string host;
    Share share;  // of the last job
  };
  virtual std::vector<Agent> agents() const = 0;
  // The GPUs that each agent's ranks may use, by agent, this one's first. Queried once.
  //   Blocks   until all have answered, at most kGpuLimit
  virtual const std::vector<catalogue::Gpus>& gpus() = 0;
  // The greatest error of another agent's times on this agent's clock.
  virtual Duration clock_error() const = 0;

  // Why an agent is lost, with its number and host; "" while none is lost. Requests to a lost agent
  // are skipped, so that a run can always be ended.
  virtual std::string lost() const = 0;
  // Checks whether an agent was lost meanwhile. Does not wait.
  virtual void check() = 0;
  // The ranks of the lost agents, ascending.
  virtual std::vector<int> lost_ranks() const = 0;

  // Divides the ranks of `job`, sets this agent's share and where the ranks meet, and has the
  // fellows start their ranks.
  //   Errors   UsageError if the job cannot be divided
  virtual void start(Job& job) = 0;
  // Why a fellow could not start its ranks; "" if all could.
  //   Blocks   until all have answered
  virtual std::string started() = 0;

  // Begins a round.
  virtual void ask(Depth depth, const detect::Ledger& ledger) = 0;
  // Ends the round: puts what the fellows saw into `snapshots`, by rank. This agent's snapshots
  // stay unchanged.
  //   Blocks   until all have answered
  virtual Looked take(std::span<record::Snapshot> snapshots) = 0;

  // These ask all fellows and wait for their answers.
  virtual void read_modules(std::span<record::Snapshot> snapshots) = 0;
  virtual void add_hindrances(Hindrances& all) = 0;
  virtual void add_loads(GpuFigures& figures, std::size_t ranks) = 0;
  // How the fellows' ranks ended and what they reported, as far as it is known now; `ranks`: by
  // rank.
  virtual void collect(std::span<RankEnd> ranks) = 0;
  // Has all ranks killed. killed() waits until they are gone and returns how many are not.
  virtual void kill() = 0;
  virtual std::size_t killed() = 0;
  // Ends the job after an error at any point. Takes the answers that are still due, so that they
  // are not mistaken for answers to later questions, and has all ranks killed.
  //   Blocks   until all have answered
  virtual void call_off() = 0;
  // Has all fellows delay their ranks now and then, in every job, until end_delays().
  virtual void begin_delays(std::uint64_t seed) = 0;
  // Ends the delays. Returns what all fellows did.
  //   Blocks   until all have answered
  virtual Delayed end_delays() = 0;
  // The black box of a fellow's rank of the last job; empty if it is not available.
  virtual std::string box(int rank) = 0;
};

// `job` as this agent must start its part: with a place to meet and, if there are fellows, divided;
// they are then starting their parts. `fellows` may be null.
//   Errors   UsageError if the job cannot be divided; MachineError if no port is free
Job begun(Job job, Fellows* fellows);

}  // namespace gridlock::run
