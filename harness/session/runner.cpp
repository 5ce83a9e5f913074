// Starts, observes, retries, judges and keeps a run.
#include "harness/session/runner.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/error.h"
#include "harness/run/ending.h"
#include "harness/run/observer.h"
#include "harness/run/watch.h"
#include "harness/session/context.h"
#include "harness/session/results/exports.h"
#include "harness/session/results/keep.h"
#include "harness/session/results/timelines.h"
#include "harness/session/run_result.h"

namespace gridlock::session {
namespace {

// Black boxes take a MiB per rank, so only the first of many bad runs are kept.
constexpr int kMostKept = 50;

bool is_odd(const report::Run& run) {
  return run.status == report::Status::error ||
         (run.status == report::Status::judged && !run.as_declared);
}

std::string folder_name(const std::string& name, int repetition) {
  std::string text = fmt::format("{}.{}", name, repetition);
  std::replace(text.begin(), text.end(), '/', '.');
  const auto at = text.find('@');
  return at == std::string::npos ? text : text.replace(at, 1, ".n");
}

bool may_fail(const Task& task) {
  return task.declared != nullptr && !task.declared->outcomes.empty() &&
         task.declared->outcomes.front() == detect::Outcome::fails;
}

}  // namespace

std::optional<report::Run> Runner::run(const Task& task) {
  if (!task.can_start()) return task.planned;
  const run::Observation observation = observe(task);
  if (observation.interrupted) return {};
  report::Run result = judged_run(task, observation, symbols_);
  const bool kept = is_kept(result);
  if (kept) {
    result.kept = folder_name(task.name, result.repetition);
    // On a full disk, the verdict is worth more than the boxes.
    if (!written([&] { keep(folder_.run_folder(result.kept), observation, site_.fellows); })) {
      result.kept.clear();
    }
  }
  // The page shows the first repetition, and runs that differ.
  const bool is_first = keep_ != Keep::bad && result.repetition == 0;
  if (result.status == report::Status::judged && (kept || is_first)) {
    keep_timeline(folder_.path(), run_name(result), timeline_of(observation, symbols_));
  }
  if (is_odd(result) && odd_.size() < kMostKept) odd_.push_back(result);
  return result;
}

run::Observation Runner::observe(const Task& task) {
  run::Observation observation;
  run::Job job = task.job;
  if (console_ != nullptr && console_->is_live()) {
    job.on_look = [this](std::span<const record::Snapshot> ranks) { console_->look(ranks); };
  }
  // A port can be free when it is chosen and taken when rank 0 comes. No variant is to blame for
  // that, so the job is restarted, unless the variant declares a failure.
  constexpr int kMostPorts = 4;
  for (int ports = 0; ports < kMostPorts; ++ports) {
    try {
      observation = run::watch(job, site_.installation, interrupts_, site_.fellows);
    } catch (const MachineError& error) {
      observation.fault = error.what();
    }
    if (may_fail(task) || !run::found_port_taken(observation)) break;
  }
  if (!observation.snapshots.empty()) {
    nccl_ = nccl_version_text(observation.snapshots.front().nccl_version);
  }
  if (observation.agent_lost) lost_ = observation.fault;
  return observation;
}

bool Runner::is_kept(const report::Run& run) {
  const bool is_first = run.repetition == 0;
  if (is_odd(run)) {
    ++bad_kept_;
    return keep_ == Keep::all || is_first || bad_kept_ <= kMostKept;
  }
  return keep_ == Keep::all || (keep_ == Keep::firsts && is_first) ||
         (keep_ == Keep::examples && is_first && run.verdict.outcome != detect::Outcome::completes);
}

// A job that hung gets little more time than the recorded run took. If it has not ended by then, it
// hangs without the recorder too.
bool Runner::check_observer(const Task& task, Duration took, report::Run& result) {
  if (result.status != report::Status::judged) return true;
  if (result.role != "broken" && result.role != "fix") return true;
  const run::End recorded = run::end_of(result.verdict.outcome);
  const bool hung = recorded == run::End::silent;
  const Duration limit = hung ? took + kObserverMargin : task.job.run_limit;
  try {
    const run::End unrecorded =
        run::run_unrecorded(task.job, site_.installation, interrupts_, limit, site_.fellows);
    const auto accepts = [&](run::End end) {
      return std::any_of(result.expected.begin(), result.expected.end(),
                         [&](detect::Outcome outcome) { return run::end_of(outcome) == end; });
    };
    result.observer = report::Observer{
        .recorded = std::string(to_string(recorded)),
        .unrecorded = std::string(to_string(unrecorded)),
        .agrees = recorded == unrecorded || (accepts(recorded) && accepts(unrecorded))};
  } catch (const MachineError& error) {
    result.status = report::Status::error;
    result.reason = error.what();
  }
  return !interrupts_.requested();
}

std::string Runner::ended() {
  if (interrupts_.requested()) return fmt::format("ended by {}", interrupts_.name());
  if (!lost_.empty() || site_.fellows == nullptr) return lost_;
  site_.fellows->check();
  return site_.fellows->lost();
}

}  // namespace gridlock::session
