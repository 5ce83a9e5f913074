// Runs of variants and benchmarks one by one, for who decides himself what comes next: acceptance
// and soak. Each is watched and judged like any other job.
#pragma once

#include <functional>
#include <string>

#include "harness/accept/profile/check.h"
#include "harness/session/runner.h"

namespace gridlock::session {

// Starts jobs one after the other, and keeps what a bad run leaves.
class Starter {
 public:
  //   folder   of the results; bad runs are kept in it
  Starter(const Site& site, const ResultsFolder& folder) : site_(site), runner_(site, folder) {}

  // One run of a variant, or of a benchmark, judged.
  //   adjust   sets the job's limits
  //   Blocks   until it is over
  using Adjust = std::function<void(run::Job&)>;
  report::Run run(const catalogue::Planned& planned, int repetition, const Adjust& adjust);
  report::Run run(const accept::Check& benchmark, int repetition, const Adjust& adjust);

  // Who starts some of the ranks, if this agent does not start them all.
  run::Fellows* fellows() const { return site_.fellows; }
  // Why nothing more can be run: a signal, or an agent that is lost; "" while there is no reason.
  std::string ended() { return runner_.ended(); }

 private:
  const Site& site_;
  Runner runner_;
};

}  // namespace gridlock::session
