// One fault in the middle of a run over several hosts, and what becomes of the run.
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
  kill_guard,  // the process that guards it does: the one that mpiexec has started
};
std::string to_string(Fault fault);

struct Trial {
  Fault fault = Fault::cut;
  int hosts = 2;
  int victim = 1;  // a host
  bool endless =
      true;  // one run without an end; else the catalogue, which is now and then between two runs
  std::chrono::milliseconds moment{};  // after the first sign of life
};

struct Outcome {
  std::string spoilt;  // why there was nothing to see; "" when the fault hit a run
  // Agent 0's own exit status. None if the launcher killed it. The launcher does that when a signal
  // ends a process that it has started, and then its own status says so.
  std::optional<int> code;
  std::optional<int> launcher_code;
  double ended_ms = 0;         // from the fault to the end of agent 0, or else of the launcher
  double gone_ms = 0;          // until no agent and no rank was left on any host
  bool names_agent = false;    // agent 0 named the lost one and its host
  bool names_states = false;   // and said what its ranks did last
  std::vector<Stranger> left;  // our processes on all hosts that were still there after a while
  std::string output;
};

// A job on a new field, until the fault.
Outcome run_trial(const Trial& trial);

// Whether all is as it must be: exit 3, the lost agent and its ranks' last states named, and
// nothing left. If a guard was killed, only the launcher can report it.
bool told(const Trial& trial, const Outcome& outcome);

// Agents and ranks that are there, without mpiexec's own processes.
std::vector<Stranger> ours(const Field& field);
// The agent's or its guard's process on `host`, 0 when there is none.
pid_t agent_on(const Field& field, int host);
pid_t guard_on(const Field& field, int host);

}  // namespace gridlock::nodes
