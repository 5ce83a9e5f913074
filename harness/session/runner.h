// Jobs one after the other, whoever decides what comes next: how a plan becomes a job, which of
// them cannot be started, what is tried again, and what is kept.
#pragma once

#include <string>

#include "harness/catalogue/selection.h"
#include "harness/processes/interrupts.h"
#include "harness/report/results.h"
#include "harness/run/job.h"
#include "harness/run/look/symbols.h"
#include "harness/session/results_folder.h"
#include "harness/session/site.h"

namespace gridlock::session {

// The result of a planned run before it is started: judged where it can be, else with the reason
// why not. `by_mpiexec`: it is to be started so.
report::Run before_run(const catalogue::Planned& planned, int repetition, bool by_mpiexec,
                       const Site& site);

// The job of a planned run, with limits for a scenario.
run::Job job_of(const catalogue::Planned& planned, const Site& site);

// Whether it is declared that it fails.
bool may_fail(const catalogue::Planned& planned);

class Runner {
 public:
  // Both must outlive it.
  //   folder   of the results; bad runs are kept in it
  Runner(const Site& site, const ResultsFolder& folder) : site_(site), folder_(folder) {}

  // Runs a job to its verdict.
  //   may_fail   a failure may be what was declared, and is no reason to try again
  //   Blocks     until it is over
  run::Observation observe(const run::Job& job, bool may_fail);

  enum class Keep {
    bad,       // runs that went wrong, of many the first ones
    this_one,  // as if it had gone wrong
    whatever,  // this one, however many there are
  };
  // Keeps what a run leaves: as `runs/<name>`, from "scenario/variant@4" or a check's id.
  //   Errors   MachineError on a full disk
  void keep(const report::Run& run, const std::string& name, const run::Observation& observation,
            Keep which = Keep::bad);

  // Why nothing more can be run: a signal, or an agent that is lost and what its ranks did last; ""
  // while there is no reason.
  std::string ended();

  processes::Interrupts& interrupts() { return interrupts_; }
  run::Symbols& symbols() { return symbols_; }
  const std::string& nccl() const { return nccl_; }  // version that the ranks had

 private:
  const Site& site_;
  const ResultsFolder& folder_;
  processes::Interrupts interrupts_;
  run::Symbols symbols_;
  std::string nccl_;
  std::string lost_;
  int bad_kept_ = 0;
};

}  // namespace gridlock::session
