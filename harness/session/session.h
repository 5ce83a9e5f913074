// A session of runs: it goes through a plan, repetition by repetition, and writes the results as
// they come. `run` and `claims` are sessions.
#pragma once

#include <vector>

#include "harness/session/console.h"
#include "harness/session/runner.h"
#include "harness/session/writer.h"

namespace gridlock::session {

struct SessionOptions {
  int repeat = 1;
  int cost = 0;  // pairs of fix and control for each fix, which tell what the cure costs
  JobOptions job;
  bool observer_check = false;  // run also without the recorder, which must change nothing
  bool keep = false;            // keep the black boxes of every run
  bool quiet = false;           // say nothing of single runs
  Outputs outputs;
};

class Session {
 public:
  // All must outlive it.
  Session(const SessionOptions& options, const Site& site,
          const std::vector<catalogue::Planned>& plan);

  // Runs everything, prints the table, returns the exit code.
  int run();
  // Runs everything and writes its results, which live as long as the session.
  //   Errors   MachineError when a signal or a lost agent ended it; what was run until then is
  //            written
  const report::Results& collect();

 private:
  void run_one(const catalogue::Planned& planned, int repetition);
  void add(report::Run run);
  void announce(const report::Run& planned);
  void run_all();
  void run_pairs();
  // Whether both had step times to divide.
  bool run_pair(const catalogue::Planned& fix, const catalogue::Planned& control, int repetition);

  const SessionOptions& options_;
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
