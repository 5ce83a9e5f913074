// What to start and watch, and the result.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/base/limits.h"
#include "harness/detect/graph/parameters.h"
#include "harness/detect/verdict/moments.h"
#include "harness/detect/verdict/verdict.h"
#include "harness/processes/process_tree.h"
#include "harness/record/snapshot.h"
#include "harness/run/look/utilisation.h"
#include "harness/run/start/boxes.h"
#include "harness/run/start/gpu_environment.h"
#include "harness/run/start/rank_report.h"
#include "harness/run/start/share.h"

namespace gridlock::run {

struct Job {
  std::vector<std::string> command;
  int ranks = 1;
  bool by_program = false;   // the command itself starts the ranks (torchrun); it is started once
  bool by_mpiexec = false;   // mpiexec, which is started once, starts it as MPI ranks
  bool pass_output = false;  // shows what the ranks print at once, and keeps it
  bool outsiders = false;    // processes that we do not start may join its communicators
  bool utilisation = false;  // ask how busy the GPUs are, if it hangs
  bool recorded = true;      // false: only the ends of its processes are known
  bool strict = false;       // see detect::Parameters
  Duration stall_limit = kStallLimit;
  Duration assumption_bound = kAssumptionBound;  // longer if ranks are delayed from outside
  Duration run_limit = kRunLimit;                // zero: none
  // Called after every look, about twice a millisecond, and before the ranks' output is shown; may
  // be empty. Must be quick.
  std::function<void(std::span<const record::Snapshot>)> on_look;
  std::function<void()> before_output;
  // Called at a stall; then the job is watched until it ends, hangs provably, or moves and stalls
  // again. If empty, the job is ended with that verdict.
  using Tell = std::function<void(detect::Verdict, std::span<const record::Snapshot>)>;
  Tell on_stall;
  // Called when calls of some ranks have lasted for the stall limit while the rest of the job goes
  // on, with what holds them up. May be empty: then nobody asks.
  Tell on_long_waits;
  std::vector<std::string> environment;  // NAME=value, on top of everything else
  std::optional<GpuSet> gpus;            // none: the simulation, or a program that chooses itself
  // For several agents that divide the ranks between them.
  std::vector<int> split;      // how many each starts; empty: evenly
  std::optional<Share> share;  // this agent's ranks; none: all
  // On how many simulated hosts this agent's ranks run; 1: on this one.
  int simulated_hosts = 1;
  // Where the ranks meet. Port 0: a free one, chosen when they are started.
  std::string master_address = "127.0.0.1";
  int master_port = 0;
};

// The ranks that this agent starts.
inline Share own_share(const Job& job) {
  return job.share.value_or(
      Share{.first = 0, .ranks = job.ranks, .first_local = 0, .local_ranks = job.ranks});
}

// What one rank reported and how it ended.
struct RankEnd {
  std::optional<processes::Ending> ending;  // none: it was killed by us
  std::string output;                       // standard output and error
  RankReport report;
};

struct Observation {
  detect::Verdict verdict;
  // Why there is no verdict: a request to end, for example, or processes that cannot be killed.
  std::string fault;
  bool interrupted = false;
  bool agent_lost = false;
  std::optional<double> time_to_hang_ms;
  std::optional<double> time_to_detect_ms;
  std::optional<double> time_to_recover_ms;
  detect::Moments moments;
  GpuFigures gpu_figures;                   // of a job that hung, if requested
  std::string left_running;                 // see leftovers(); of a job that ended by itself
  std::vector<RankEnd> ranks;               // by process
  std::vector<record::Snapshot> snapshots;  // the verdict's, by rank
  Share own;                                // the ranks of this agent
  std::shared_ptr<Boxes> boxes;             // theirs
};

// What the detector must know about the job.
inline detect::Parameters parameters_of(const Job& job) {
  detect::Parameters parameters;
  parameters.strict = job.strict;
  parameters.may_wait_ns = kMayWaitBound.count();
  parameters.outsiders = job.outsiders;
  parameters.restart_ns = kRestartBound.count();
  return parameters;
}

}  // namespace gridlock::run
