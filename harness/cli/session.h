// Runs a plan, repetition by repetition, and writes its results as they come.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/cli/console.h"
#include "harness/cli/options.h"
#include "harness/cli/writer.h"
#include "harness/run/gpus.h"
#include "harness/run/installation.h"
#include "harness/run/interrupts.h"
#include "harness/run/job.h"
#include "harness/run/selection.h"
#include "harness/run/symbols.h"

namespace gridlock::cli {

class Session {
 public:
  //   Errors   CannotRun for the back end cuda on a machine without a GPU
  //   Blocks   there, until the driver has answered, at most kGpuLimit
  Session(const Options& options, const run::Installation& installation, const std::string& backend,
          const std::vector<run::Planned>& plan);

  // Runs everything, prints the table, returns the exit code.
  int run();
  // Runs everything and writes its results, which live as long as the session.
  //   Errors   MachineError when a signal ended it; what was run until then is written
  const report::Results& collect();

 private:
  void run_one(const run::Planned& planned, int repetition);
  void check_observer(const run::Job& job, run::Duration took, report::Run& result);
  void add(report::Run run);
  void keep_if_needed(const report::Run& run, const run::Observation& observation);
  void announce(const run::Planned& planned);
  bool is_over();
  void run_all();
  void run_pairs();
  // Whether both had step times to divide.
  bool run_pair(const run::Planned& fix, const run::Planned& control, int repetition);

  const Options& options_;
  const run::Installation& installation_;
  const std::vector<run::Planned>& plan_;
  std::optional<run::Gpus> gpus_;  // none on the simulation
  run::Interrupts interrupts_;
  Writer writer_;
  Console console_;
  run::Symbols symbols_;
  report::Results results_;
  int kept_ = 0;
  bool in_pairs_ = false;
};

// The exit code that results deserve.
int exit_code(const report::Summary& summary);

}  // namespace gridlock::cli
