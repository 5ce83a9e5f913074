// A session of runs: it runs a plan, repetition by repetition, and writes results as they come.
// `run` and `claims` are sessions.
#pragma once

#include <string>
#include <vector>

#include "harness/session/console.h"
#include "harness/session/results/writer.h"
#include "harness/session/runner.h"

namespace gridlock::session {

struct SessionOptions {
  int repeat = 1;
  int cost = 0;  // pairs of fix and control for each fix, to measure what the cure costs
  JobOptions job;
  bool observer_check = false;  // run also without the recorder, which must change nothing
  bool keep = false;            // keep the black boxes of every run
  bool quiet = false;           // do not show single runs
  Outputs outputs;
};

class Session {
 public:
  // All arguments must outlive it.
  Session(const SessionOptions& options, const Site& site,
          const std::vector<catalogue::Planned>& plan);

  // Runs everything, prints the table, writes the files and the page, returns the exit code.
  int run();
  // Runs everything and writes the results, which live as long as the session.
  //   Errors   MachineError if a signal, a lost agent or a full disk ended it; the runs until then
  //            are shown, and written if there is room
  const report::Results& collect();

 private:
  // Why it ended early; empty if it did not.
  std::string run_plan();
  void run_one(const catalogue::Planned& planned, int repetition);
  void add(report::Run run);
  void announce(const report::Run& planned);
  void run_all();
  void run_pairs();
  // Returns whether both had step times to divide.
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

// The exit code for these results.
int exit_code(const report::Summary& summary);

}  // namespace gridlock::session
