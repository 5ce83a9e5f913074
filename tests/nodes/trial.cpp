// Causes the fault, then looks until nothing of the run is left.
#include "tests/nodes/trial.h"

#include <algorithm>
#include <csignal>

namespace gridlock::nodes {
namespace {

using Clock = std::chrono::steady_clock;

// Far longer than allowed, so that a late end is still seen and measured.
constexpr Limit kLongAfter{8000};
constexpr Limit kOnItsWay{2000};

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

bool is_gridlock(const Stranger& process) {
  return process.command.starts_with(std::string(GRIDLOCK_PROGRAM) + " ");
}

void strike(Field& field, const Trial& trial) {
  if (trial.fault == Fault::cut) return field.cut(trial.victim);
  const bool guard = trial.fault == Fault::kill_guard;
  const pid_t pid = guard ? guard_on(field, trial.victim) : agent_on(field, trial.victim);
  if (pid > 0) kill(pid, SIGKILL);
}

}  // namespace

std::string to_string(Fault fault) {
  switch (fault) {
    case Fault::cut:
      return "cut";
    case Fault::kill_agent:
      return "kill_agent";
    default:
      return "kill_guard";
  }
}

bool told(const Trial& trial, const Outcome& outcome) {
  if (!outcome.left.empty()) return false;
  if (outcome.code)
    return outcome.code == 3 && outcome.names_agent && (outcome.names_states || !trial.endless);
  return trial.fault == Fault::kill_guard && outcome.launcher_code.value_or(0) != 0;
}

std::vector<Stranger> ours(const Field& field) {
  std::vector<Stranger> all = strangers(field);
  std::erase_if(all, [](const Stranger& process) {
    return !is_gridlock(process) && process.command.find("/scenarios/") == std::string::npos &&
           !process.command.starts_with(kEndless);
  });
  return all;
}

pid_t guard_on(const Field& field, int host) {
  const std::vector<Stranger> all = ours(field);
  const auto guard = std::find_if(all.begin(), all.end(), [&](const Stranger& process) {
    const bool is_child = std::any_of(all.begin(), all.end(), [&](const Stranger& other) {
      return is_gridlock(other) && other.pid == process.parent;
    });
    return process.host == host && is_gridlock(process) && !is_child;
  });
  return guard == all.end() ? 0 : guard->pid;
}

pid_t agent_on(const Field& field, int host) {
  const pid_t guard = guard_on(field, host);
  for (const Stranger& process : ours(field)) {
    if (process.parent == guard && is_gridlock(process)) return process.pid;
  }
  return 0;
}

Outcome run_trial(const Trial& trial) {
  Field field(trial.hosts);
  Outcome outcome;
  forget_noted();
  const std::string out = (Field::folder() / "out").string();
  const Command endless{GRIDLOCK_PROGRAM, "watch", "-n", "4",     "--stall-limit", "1h",
                        "--output",       out,     "--", kEndless};
  const Command catalogue{GRIDLOCK_PROGRAM, "run",    "--backend", "sim", "uneven_batches",
                          "--repeat",       "100000", "--output",  out};
  Job job(field, 0, over_hosts(field, noted(trial.endless ? endless : catalogue)), only_by_wire());
  if (!wait_until([&] { return job.says(trial.endless ? "[rank 0] adds up" : "ok    "); })) {
    outcome.spoilt = "the job did not get going: " + job.output();
    return outcome;
  }
  wait_until([] { return false; }, trial.moment);
  const Clock::time_point begin = Clock::now();
  strike(field, trial);
  const bool ended = wait_until(
      [&] {
        outcome.launcher_code = job.finish(Limit(0));
        if (outcome.ended_ms == 0 && (noted_status(0) || outcome.launcher_code)) {
          outcome.ended_ms = ms_since(begin);
        }
        outcome.left = ours(field);
        outcome.gone_ms = ms_since(begin);
        return outcome.ended_ms > 0 && outcome.left.empty();
      },
      kLongAfter);
  if (ended) outcome.left.clear();
  outcome.code = noted_status(0);
  const std::string lost =
      "agent " + std::to_string(trial.victim) + " on " + Field::name(trial.victim) + " is lost";
  // Agent 0's output comes through mpiexec, so it may be late.
  const auto says_all = [&] {
    outcome.names_agent = job.says(lost);
    outcome.names_states = job.says("last seen:");
    return outcome.names_agent && (outcome.names_states || !trial.endless);
  };
  if (outcome.code) wait_until(says_all, kOnItsWay);
  outcome.output = job.output();
  std::filesystem::remove_all(out);
  return outcome;
}

}  // namespace gridlock::nodes
