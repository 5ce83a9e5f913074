// Shows a session's progress while it runs.
#pragma once

#include "harness/report/formats/line.h"
#include "harness/report/results.h"

namespace gridlock::session {

// On a terminal: one line that is overwritten, and lasting lines for runs that differ from the
// declaration. Elsewhere: one plain line per run.
class Console {
 public:
  explicit Console(bool is_quiet);

  void begin(const report::Progress& progress);
  void done(const report::Run& run);
  // Removes the line that is overwritten.
  void clear();

 private:
  bool is_quiet_;
  bool is_terminal_;
};

// Columns of the terminal, or the usual number if output goes elsewhere.
std::size_t terminal_columns();

// Prints to standard output immediately. A reader that has gone away is not an error.
void print(const std::string& text);

}  // namespace gridlock::session
