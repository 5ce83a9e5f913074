// Rounds over shuffled variants.
#include "harness/cli/soaking.h"

#include <algorithm>
#include <optional>
#include <random>

#include "harness/run/delays.h"
#include "harness/run/own_ranks.h"

namespace gridlock::cli {
namespace {

double seconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }

}  // namespace

std::vector<run::Planned> soakable(const std::vector<run::Planned>& planned) {
  std::vector<run::Planned> all;
  std::copy_if(planned.begin(), planned.end(), std::back_inserter(all),
               [](const run::Planned& one) {
                 const std::string& role = one.variant->role;
                 return one.variant->needs.empty() && (role == "control" || role == "fix");
               });
  return all;
}

accept::Soaking soak(
    const SoakPlan& plan, Starter& starter,
    const std::function<void(const report::Run&, const accept::SoakTally&)>& shown) {
  accept::Soaking soaking;
  soaking.seed = plan.seed;
  std::mt19937_64 random(plan.seed);
  std::optional<run::Delays> delays;
  if (plan.delays) delays.emplace(random());
  const auto adjust = [&](run::Job& job) {
    if (!plan.delays) return;
    job.stall_limit = run::with_delays(run::kStallLimit);
    job.assumption_bound = run::with_delays(run::kAssumptionBound);
  };
  const std::int64_t began = run::now_ns();
  const std::int64_t end = began + plan.time.count();
  const auto is_over = [&] {
    return run::now_ns() >= end || plan.variants.empty() || !starter.ended().empty();
  };
  std::vector<run::Planned> order = plan.variants;
  int repetition = 0;
  while (!is_over()) {
    std::shuffle(order.begin(), order.end(), random);
    for (const run::Planned& planned : order) {
      if (is_over()) break;
      const std::int64_t run_began = run::now_ns();
      const report::Run result = starter.run(planned, repetition, adjust);
      if (!starter.ended().empty()) break;
      soaking.tally.add(result, seconds(run_began - began), seconds(run::now_ns() - run_began));
      shown(result, soaking.tally);
    }
    ++repetition;
  }
  soaking.seconds = seconds(run::now_ns() - began);
  soaking.ended = starter.ended();
  if (delays) {
    soaking.delays = delays->count();
    soaking.delayed_s = seconds(delays->total().count());
  }
  return soaking;
}

}  // namespace gridlock::cli
