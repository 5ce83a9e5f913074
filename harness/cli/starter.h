// Runs of variants and benchmarks one by one, for who decides himself what comes next: acceptance
// and soak. Each is watched and judged like any other job.
#pragma once

#include <functional>
#include <string>

#include "harness/accept/check.h"
#include "harness/cli/site.h"
#include "harness/report/results.h"
#include "harness/run/interrupts.h"
#include "harness/run/job.h"
#include "harness/run/results_folder.h"
#include "harness/run/selection.h"
#include "harness/run/symbols.h"

namespace gridlock::cli {

// Starts jobs one after the other, and keeps what a bad run leaves.
class Starter {
 public:
  //   folder   of the results; bad runs are kept in it
  Starter(const Site& site, const run::ResultsFolder& folder);

  // One run of a variant, or of a benchmark, judged.
  //   adjust   sets the job's limits
  //   Blocks   until it is over
  using Adjust = std::function<void(run::Job&)>;
  report::Run run(const run::Planned& planned, int repetition, const Adjust& adjust);
  report::Run run(const accept::Check& benchmark, int repetition, const Adjust& adjust);

  run::Interrupts& interrupts() { return interrupts_; }
  const std::string& nccl() const { return nccl_; }  // version that the ranks had

 private:
  // `may_fail`: that it fails may be what is declared.
  run::Observation observe(const run::Job& job, bool may_fail);
  void keep_if_odd(const report::Run& run, const std::string& name,
                   const run::Observation& observation);

  const Site& site_;
  const run::ResultsFolder& folder_;
  run::Interrupts interrupts_;
  run::Symbols symbols_;
  std::string nccl_;
  int kept_ = 0;
};

}  // namespace gridlock::cli
