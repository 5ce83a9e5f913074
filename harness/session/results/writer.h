// Writes the results while the session runs.
#pragma once

#include <chrono>

#include "harness/report/results.h"
#include "harness/session/results/exports.h"
#include "harness/session/results/results_folder.h"

namespace gridlock::session {

// Where the user wants results.
struct Outputs {
  std::filesystem::path folder;  // empty: results/<utc>-<backend>
  std::filesystem::path json;    // empty: not wanted
  std::filesystem::path junit;   // empty: not wanted
  Exports exports;
  bool quiet = false;  // show nothing until all is over
  bool open = false;   // open the page in a browser
};

// Checks that a file can be written, before anything runs rather than after an hour. An empty name
// means no file.
//   Errors   UsageError if it cannot
void check_writable(const std::filesystem::path& file);

class Writer {
 public:
  Writer(const Outputs& wanted, const std::string& backend);

  const ResultsFolder& folder() const { return folder_; }

  // Writes results.json. Does not write big results after every run, because that would take longer
  // than the runs.
  //   Errors   MachineError on a full disk; the earlier file is still there
  void update(const report::Results& results);

  // Writes results.json and report.md.
  //   Errors   MachineError on a full disk
  void finish(const report::Results& results);
  // Writes the files that the user asked for, and says which it cannot write. Returns whether it
  // has written all. It is called after the verdicts are shown, because it takes long.
  bool write_wanted(const report::Results& results) const;

 private:
  using Clock = std::chrono::steady_clock;
  Outputs wanted_;
  ResultsFolder folder_;
  Clock::time_point not_before_;
};

}  // namespace gridlock::session
