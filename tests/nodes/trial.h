// One fault in the middle of a run over several hosts, and how the run ends.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tests/nodes/job.h"

namespace gridlock::nodes {

enum class Fault {
  cut,         // a host is out of reach
  kill_agent,  // the agent on a host gets SIGKILL
  kill_guard,  // its guard, the process that mpiexec has started, gets SIGKILL
};
std::string to_string(Fault fault);

struct Trial {
  Fault fault = Fault::cut;
  int hosts = 2;
  int victim = 1;  // a host
  bool endless =
      true;  // one endless run; otherwise the catalogue, which is sometimes between two runs
  std::chrono::milliseconds moment{};  // after the first sign of life
};

struct Outcome {
  std::string spoilt;  // why there was nothing to see; "" if the fault hit a run
  // Agent 0's own exit status; none if the launcher killed it. The launcher does that if a signal
  // ends one of its processes, and then the launcher's own status shows it.
  std::optional<int> code;
  std::optional<int> launcher_code;
  double ended_ms = 0;         // from the fault to the end of agent 0, or else of the launcher
  double gone_ms = 0;          // until no agent and no rank was left on any host
  bool names_agent = false;    // agent 0 named the lost one and its host
  bool names_states = false;   // and said what its ranks did last
  std::vector<Stranger> left;  // our processes on all hosts that were still there after a while
  std::string output;
};

// Runs a job on a new field, causes the fault, and waits for the end.
Outcome run_trial(const Trial& trial);

// Whether the outcome is right: exit 3, the lost agent and its ranks' last states named, and
// nothing left. If a guard was killed, only the launcher can report it.
bool told(const Trial& trial, const Outcome& outcome);

// The existing agents and ranks, without mpiexec's own processes.
std::vector<Stranger> ours(const Field& field);
// The process of the agent, or of its guard, on `host`; 0 if there is none.
pid_t agent_on(const Field& field, int host);
pid_t guard_on(const Field& field, int host);

}  // namespace gridlock::nodes
