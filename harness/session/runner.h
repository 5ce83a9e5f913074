// The pipeline of a run: plan → job → observe → judge → keep. run, claims, accept and soak all make
// their runs with it, and differ only in what they run next.
#pragma once

#include <optional>
#include <string>

#include "harness/processes/interrupts.h"
#include "harness/run/look/symbols.h"
#include "harness/session/console.h"
#include "harness/session/results_folder.h"
#include "harness/session/task.h"

namespace gridlock::session {

// Which runs leave their output and their black boxes in the results folder.
enum class Keep {
  bad,       // runs that went wrong, of many the first ones
  examples,  // these, and the first repetition of each that does not complete
  firsts,    // these, and the first repetition of each that completes too
  all,
};

class Runner {
 public:
  // Site and folder must outlive it.
  Runner(const Site& site, const ResultsFolder& folder, Keep keep = Keep::bad)
      : site_(site), folder_(folder), keep_(keep) {}

  // Makes one run: starts the job, observes it to its verdict, judges that and keeps what the run
  // left. A task that cannot start comes back as it was planned. Nothing when a signal cut it off.
  //   Errors   MachineError on a full disk
  //   Blocks   until it is over
  std::optional<report::Run> run(const Task& task);

  // Runs the job of a broken variant or a fix again without the recorder, and compares how both
  // ended. Leaves controls, remedies, and what was not judged as they are. False when a signal cut
  // it off.
  //   took     the recorded run, to its verdict
  //   Blocks   until the job is over
  bool check_observer(const Task& task, Duration took, report::Run& result);

  // Why nothing more can be run: a signal, or an agent that is lost and what its ranks did last; ""
  // while there is no reason.
  std::string ended();

  // Shows there what the ranks do. It must outlive this.
  void show_on(Console& console) { console_ = &console; }

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
};

}  // namespace gridlock::session
