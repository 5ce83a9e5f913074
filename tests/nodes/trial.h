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
  int victim = 1;                      // a host
  std::chrono::milliseconds moment{};  // after the first verdict of the run
};

struct Outcome {
  std::string spoilt;          // why there was nothing to see; "" when the fault hit a run
  std::optional<int> code;     // agent 0's own exit status
  double ended_ms = 0;         // from the fault until agent 0 had ended
  double gone_ms = 0;          // until no agent and no rank was left on any host
  bool names_agent = false;    // agent 0 named the lost one and its host
  bool names_states = false;   // and said what its ranks did last
  std::vector<Stranger> left;  // what was still there after a while: of ours on all hosts
  std::string output;
};

// The catalogue on a new field, over and over, until the fault.
Outcome run_trial(const Trial& trial);

// Agents and ranks that are there: not mpiexec's own processes.
std::vector<Stranger> ours(const Field& field);
// The agent's or its guard's process on `host`, 0 when there is none.
pid_t agent_on(const Field& field, int host);
pid_t guard_on(const Field& field, int host);

}  // namespace gridlock::nodes
