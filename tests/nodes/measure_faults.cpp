// Cuts and kills at random moments:   measure_faults NUMBER [SEED]
// One line per trial: fault, job, hosts, the host with the fault, when it happened (ms after its
// first sign of life), agent 0's exit status, when it had ended and when nothing was left (ms after
// the fault), whether it named the lost agent and its ranks' last states, and what was left.
#include <fmt/core.h>

#include <cstdlib>
#include <random>

#include "tests/nodes/trial.h"
#include "tests/nodes/world.h"

int main(int count, char** arguments) {
  using namespace gridlock::nodes;
  const int trials = count > 1 ? std::atoi(arguments[1]) : 0;
  if (trials < 1) {
    fmt::print(stderr, "measure_faults: give a number of trials: measure_faults NUMBER [SEED]\n");
    return 2;
  }
  if (const std::string why = enter_world(); !why.empty()) {
    fmt::print(stderr, "measure_faults: {}\n", why);
    return 77;
  }
  std::mt19937 draw(count > 2 ? static_cast<unsigned>(std::atoi(arguments[2]))
                              : std::random_device{}());
  const auto below = [&](int end) { return static_cast<int>(draw() % static_cast<unsigned>(end)); };
  fmt::print(
      "fault\tjob\thosts\tvictim\tmoment_ms\tcode\tlauncher\tended_ms\tgone_"
      "ms\tagent\tstates\tleft\n");
  for (int i = 0; i < trials; ++i) {
    constexpr int kLatestMs = 2500;
    Trial trial{.fault = static_cast<Fault>(below(3)),
                .hosts = 2 + below(2),
                .endless = below(2) == 0,
                .moment = std::chrono::milliseconds(below(kLatestMs))};
    trial.victim = 1 + below(trial.hosts - 1);
    const Outcome outcome = run_trial(trial);
    fmt::print("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{:.0f}\t{:.0f}\t{}\t{}\t{}\n", to_string(trial.fault),
               trial.endless ? "endless" : "catalogue", trial.hosts, trial.victim,
               trial.moment.count(), outcome.code.value_or(-1), outcome.launcher_code.value_or(-1),
               outcome.ended_ms, outcome.gone_ms, outcome.names_agent, outcome.names_states,
               outcome.left.size());
    std::fflush(stdout);
    if (!outcome.spoilt.empty() || !told(trial, outcome)) {
      fmt::print(stderr, "{}{}\n{}\n", outcome.spoilt, to_text(outcome.left), outcome.output);
    }
  }
}
