// Runs a plan, repetition by repetition, and writes its results as they come.
#pragma once

#include <vector>

#include "harness/session/console.h"
#include "harness/session/options.h"
#include "harness/session/runner.h"
#include "harness/session/writer.h"

namespace gridlock::session {

class Session {
 public:
  // All must outlive it.
  Session(const Options& options, const Site& site, const std::vector<catalogue::Planned>& plan);

  // Runs everything, prints the table, returns the exit code.
  int run();
  // Runs everything and writes its results, which live as long as the session.
  //   Errors   MachineError when a signal or a lost agent ended it; what was run until then is
  //            written
  const report::Results& collect();

 private:
  void run_one(const catalogue::Planned& planned, int repetition);
  void check_observer(const run::Job& job, Duration took, report::Run& result);
  void add(report::Run run);
  void keep(const report::Run& run, const run::Observation& observation);
  void announce(const catalogue::Planned& planned);
  void run_all();
  void run_pairs();
  // Whether both had step times to divide.
  bool run_pair(const catalogue::Planned& fix, const catalogue::Planned& control, int repetition);

  const Options& options_;
  const Site& site_;
  const std::vector<catalogue::Planned>& plan_;
  Writer writer_;
  Runner runner_;
  Console console_;
  report::Results results_;
  bool in_pairs_ = false;
};

// The exit code that results deserve.
int exit_code(const report::Summary& summary);

}  // namespace gridlock::session
