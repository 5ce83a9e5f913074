// One line for each run, and the progress line of a terminal.
#pragma once

#include <string>

#include "harness/report/results.h"

namespace gridlock::report {

// "ok    uneven_batches/peers_leave  4 ranks  deadlock (rank_exited) …", with a newline.
std::string run_line(const Run& run);

struct Progress {
  int done = 0;
  int planned = 0;  // 0: not known
  int differing = 0;
  std::string current;  // name of the current run
};

// Without a newline, at most `columns` wide.
std::string progress_line(const Progress& progress, std::size_t columns);

}  // namespace gridlock::report
