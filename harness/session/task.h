// One run to be made: the first stage of the pipeline plan → job → observe → judge → keep.
#pragma once

#include <string>

#include "harness/accept/profile/check.h"
#include "harness/catalogue/selection.h"
#include "harness/report/results.h"
#include "harness/run/job.h"
#include "harness/session/site.h"

namespace gridlock::session {

// What the user sets for every job of a session.
struct JobOptions {
  Duration stall_limit{};   // zero: the job's own default
  Duration run_limit{};     // zero: the job's own default
  bool strict = false;      // threads that never made a recorded call may act
  bool by_mpiexec = false;  // mpiexec starts the ranks, also where the scenario does not ask for it
  int simulated_hosts = 1;  // that the ranks are divided among
  bool utilisation = false;  // measure how busy the GPUs are while a job hangs
};

struct Task {
  // All that is known before the start. If there is nothing to start, its status is `skipped` or
  // `error`, and its reason says why.
  report::Run planned;
  run::Job job;
  // The expectation that the verdict is scored against. Null: nothing is declared, and the job
  // should complete.
  const detect::Expectation* declared = nullptr;
  std::string name;  // its results are kept under this name: "scenario/variant@4"

  bool can_start() const { return planned.status == report::Status::judged; }
};

// A run of a variant. The task points into the plan's scenario.
Task task_of(const catalogue::Planned& planned, int repetition, const Site& site,
             const JobOptions& options = {});

// A run of the benchmark that a check of kind `collective` asks for.
Task task_of(const accept::Check& benchmark, int repetition, const Site& site,
             const JobOptions& options = {});

}  // namespace gridlock::session
