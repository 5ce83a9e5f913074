// The pipeline of a run: plan → job → observe → judge → keep. run, claims, accept and soak all use
// it. They differ only in what they run next.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/processes/interrupts.h"
#include "harness/run/look/kernel/programs/symbols.h"
#include "harness/session/console.h"
#include "harness/session/results/results_folder.h"
#include "harness/session/task.h"

namespace gridlock::session {

// Which runs keep their output and black boxes in the results folder.
enum class Keep {
  bad,       // runs that went wrong; of many, only the first ones
  examples,  // these, and the first repetition of each variant that does not complete
  firsts,    // these, and the first repetition of each variant that completes
  all,
};

class Runner {
 public:
  // `site` and `folder` must outlive it.
  Runner(const Site& site, const ResultsFolder& folder, Keep keep = Keep::bad)
      : site_(site), folder_(folder), keep_(keep) {}

  // Makes one run: starts the job, observes it until its verdict, judges it and keeps its files. A
  // task that cannot start comes back as it was planned. Returns nothing if a signal cut the run
  // off.
  //   Errors   MachineError on a full disk
  //   Blocks   until it is over
  std::optional<report::Run> run(const Task& task);

  // Runs the job of a broken variant or a fix again without the recorder, and compares how both
  // ended. Leaves controls, remedies and unjudged runs as they are. False if a signal cut it off.
  //   took     the recorded run's time to its verdict
  //   Blocks   until the job is over
  bool check_observer(const Task& task, Duration took, report::Run& result);

  // Why nothing more can run: a signal, or a lost agent with what its ranks did last. Empty while
  // there is no reason.
  std::string ended();

  // Shows on `console` what the ranks do. It must outlive this.
  void show_on(Console& console) { console_ = &console; }

  // Runs that went wrong or differed, the first ones.
  const std::vector<report::Run>& odd() const { return odd_; }

  const std::string& nccl() const { return nccl_; }  // version that the ranks had

 private:
  run::Observation observe(const Task& task);
  bool is_kept(const report::Run& run);

  const Site& site_;
  const ResultsFolder& folder_;
  const Keep keep_;
  processes::Interrupts interrupts_;
  run::Symbols symbols_;
  std::string nccl_;
  std::string lost_;
  Console* console_ = nullptr;
  int bad_kept_ = 0;
  std::vector<report::Run> odd_;
};

}  // namespace gridlock::session
