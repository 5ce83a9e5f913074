// Writes a session's results while it goes on.
#pragma once

#include <chrono>

#include "harness/report/results.h"
#include "harness/session/options.h"
#include "harness/session/results_folder.h"

namespace gridlock::session {

// That a file which was asked for can be written: found out at the beginning rather than after an
// hour. An empty name asks for none.
//   Errors   UsageError when it cannot
void check_writable(const std::filesystem::path& file);

class Writer {
 public:
  Writer(const Options& options, const std::string& backend);

  const ResultsFolder& folder() const { return folder_; }

  // Writes results.json. After a run this may be put off a little when the results have grown so
  // big that writing them each time would take longer than the runs.
  //   Errors   MachineError on a full disk; what was written before is still there
  void update(const report::Results& results);

  // Everything: results.json, report.md, and the files that were asked for.
  void finish(const report::Results& results);

 private:
  using Clock = std::chrono::steady_clock;
  Options options_;
  ResultsFolder folder_;
  Clock::time_point not_before_;
};

}  // namespace gridlock::session
