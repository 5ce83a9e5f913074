// Turns checks into tasks, and writes the reports after each check.
#include "harness/session/acceptor.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/accept/formats/json.h"
#include "harness/accept/formats/text.h"
#include "harness/base/files.h"
#include "harness/run/look/own_ranks.h"
#include "harness/run/start/gpu_share.h"
#include "harness/session/results/exports.h"
#include "harness/session/results/results_folder.h"
#include "harness/session/soaking.h"

namespace gridlock::session {

Acceptor::Acceptor(const Outputs& wanted, const Site& site, CatalogueCache& catalogue,
                   const ResultsFolder& folder)
    : wanted_(wanted),
      site_(site),
      catalogue_(catalogue),
      folder_(folder),
      runner_(site, folder),
      console_(wanted.quiet) {
  runner_.show_on(console_);
}

report::Run Acceptor::run(const accept::Check& check, int repetition, Duration limit) {
  if (check.kind == accept::Kind::soak) return soak(check, limit);
  const Task task = task_of(check, repetition, limit);
  // The caller asks `interrupted` and drops a run that a signal cut off.
  return runner_.run(task).value_or(task.planned);
}

Task Acceptor::task_of(const accept::Check& check, int repetition, Duration limit) {
  if (check.kind == accept::Kind::collective) {
    // The stall limit stays the same if less time is left: a shorter one would call a healthy run a
    // hang.
    return session::task_of(check, repetition, site_,
                            {.stall_limit = kWatchStallLimit, .run_limit = limit});
  }
  const auto found = catalogue_.find(check.scenario + "/" + check.variant, check.ranks);
  return session::task_of(found.front(), repetition, site_,
                          {.run_limit = std::min(kRunLimit, limit)});
}

report::Run Acceptor::soak(const accept::Check& check, Duration limit) {
  SoakPlan plan{.variants = {},
                .time = std::min(check.soak, limit),
                .seed = static_cast<std::uint64_t>(run::now_ns()),
                .delays = check.delays};
  const std::vector<std::string> all{"*"};
  for (const std::string& pattern : check.soak_names.empty() ? all : check.soak_names) {
    const auto more = soakable(catalogue_.find(pattern, check.ranks));
    plan.variants.insert(plan.variants.end(), more.begin(), more.end());
  }
  accept::Soaking soaking = session::soak(plan, site_, runner_);
  soaking.context.ranks = {check.ranks};
  write_file(folder_.path() / "soak.json", accept::to_json(soaking));
  write_file(folder_.path() / "soak.md", accept::to_markdown(soaking));
  const accept::Soaked total = soaking.tally.total();
  report::Run run;
  run.scenario = "soak";
  run.role = "control";
  run.ranks = check.ranks;
  run.as_declared = total.false_alarms + total.others == 0;
  run.verdict.outcome = detect::Outcome::completes;
  run.verdict.told = accept::to_text(soaking);
  run.figures[accept::kSoakRuns] = {static_cast<double>(total.runs)};
  run.figures[accept::kFalseAlarms] = {static_cast<double>(total.false_alarms)};
  run.figures[accept::kOtherFailures] = {static_cast<double>(total.others)};
  run.figures[accept::kUnjudged] = {static_cast<double>(total.errors)};
  if (total.errors > 0) {
    run.status = report::Status::error;
    run.reason =
        fmt::format("{} of {} runs of the soak could not be judged", total.errors, total.runs);
  }
  return run;
}

std::string Acceptor::interrupted() { return runner_.ended(); }

Duration Acceptor::now() { return Duration(run::now_ns()); }

void Acceptor::locate(accept::Culprit& culprit) {
  if (site_.fellows == nullptr) return;
  const std::vector<run::Fellows::Agent> agents = site_.fellows->agents();
  for (std::size_t i = 0; i < agents.size(); ++i) {
    const run::Share& share = agents[i].share;
    if (culprit.rank < share.first || culprit.rank >= share.end()) continue;
    culprit.host = agents[i].host;
    if (!culprit.gpu) continue;
    const catalogue::Gpu* gpu = run::gpu_of(culprit.rank, share, site_.fellows->gpus()[i]);
    culprit.gpu = gpu == nullptr ? std::nullopt : std::optional(*gpu);
  }
}

void Acceptor::begin(const accept::Check& check) {
  console_.begin({.done = begun_, .planned = planned_, .differing = 0, .current = check.id});
  ++begun_;
}

void Acceptor::done(const accept::Acceptance& acceptance) {
  console_.clear();
  // Keeps it before it is told, because whoever reads it may end us at once.
  write_file(folder_.path() / "acceptance.json", accept::to_json(acceptance));
  // Checks that did not run are many, and alike, so they are not printed.
  if (acceptance.results.back().was_run && !wanted_.quiet) {
    print(accept::result_line(acceptance.results.back()));
  }
}

bool Acceptor::write(const accept::Acceptance& acceptance) const {
  const auto json = [&] { return accept::to_json(acceptance); };
  const auto junit = [&] { return accept::to_junit(acceptance); };
  return write_all({
      {folder_.path() / "acceptance.json", json},
      {folder_.path() / "acceptance.md", [&] { return accept::to_markdown(acceptance); }},
      {folder_.path() / "junit.xml", junit},
      {wanted_.json, json},
      {wanted_.junit, junit},
      {wanted_.exports.prometheus, [&] { return accept::to_prometheus(acceptance); }},
  });
}

}  // namespace gridlock::session
