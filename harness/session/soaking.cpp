// Runs the variants in rounds, shuffled each time.
#include "harness/session/soaking.h"

#include <algorithm>
#include <optional>
#include <random>
#include <utility>

#include "harness/run/look/delays.h"
#include "harness/run/look/own_ranks.h"

namespace gridlock::session {
namespace {

double seconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }

// Delays ranks on all hosts as long as it lives.
class Disturbance {
 public:
  Disturbance(std::uint64_t seed, run::Fellows* fellows)
      : fellows_(fellows),
        agents_(fellows == nullptr ? 1 : static_cast<int>(fellows->agents().size())),
        own_(seed, agents_) {
    if (fellows_ != nullptr) fellows_->begin_delays(seed);
  }

  void stretch(run::Job& job) const {
    job.stall_limit = run::with_delays(job.stall_limit, agents_);
    job.assumption_bound = run::with_delays(job.assumption_bound, agents_);
  }

  // Call it once, at the end.
  //   Blocks   until the fellows have answered
  run::Delayed end() {
    run::Delayed made = own_.made();
    if (fellows_ == nullptr) return made;
    const run::Delayed others = fellows_->end_delays();
    return {.count = made.count + others.count, .total = made.total + others.total};
  }

 private:
  run::Fellows* fellows_;
  int agents_;
  run::Delays own_;
};

}  // namespace

std::vector<catalogue::Planned> soakable(const std::vector<catalogue::Planned>& planned) {
  std::vector<catalogue::Planned> all;
  std::copy_if(planned.begin(), planned.end(), std::back_inserter(all),
               [](const catalogue::Planned& one) {
                 const std::string& role = one.variant->role;
                 return one.variant->needs.empty() && (role == "control" || role == "fix");
               });
  return all;
}

accept::Soaking soak(const SoakPlan& plan, const Site& site, Runner& runner, const SoakView& view) {
  accept::Soaking soaking;
  soaking.seed = plan.seed;
  std::mt19937_64 random(plan.seed);
  std::optional<Disturbance> disturbance;
  if (plan.delays) disturbance.emplace(random(), site.fellows);
  const std::int64_t began = run::now_ns();
  const std::int64_t end = began + plan.time.count();
  std::vector<catalogue::Planned> order = plan.variants;
  const auto is_over = [&] {
    return run::now_ns() >= end || order.empty() || !runner.ended().empty();
  };
  int repetition = 0;
  while (!is_over()) {
    std::shuffle(order.begin(), order.end(), random);
    std::vector<catalogue::Planned> runnable;  // a variant that is skipped once is always skipped
    for (const catalogue::Planned& planned : order) {
      if (is_over()) break;
      const std::int64_t run_began = run::now_ns();
      Task task = task_of(planned, repetition, site);
      if (disturbance) disturbance->stretch(task.job);
      if (view.begins) view.begins(task.planned, soaking.tally);
      const std::optional<report::Run> result = runner.run(task);
      if (!result || !runner.ended().empty()) break;
      if (result->status != report::Status::skipped) runnable.push_back(planned);
      soaking.tally.add(*result, seconds(run_began - began), seconds(run::now_ns() - run_began));
      if (view.done) view.done(*result);
    }
    order = std::move(runnable);
    ++repetition;
  }
  soaking.seconds = seconds(run::now_ns() - began);
  soaking.ended = runner.ended();
  if (disturbance) {
    const run::Delayed made = disturbance->end();
    soaking.delays = made.count;
    soaking.delayed_s = seconds(made.total.count());
  }
  return soaking;
}

}  // namespace gridlock::session
