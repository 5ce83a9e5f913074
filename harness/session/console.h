// What a person sees while a session runs.
#pragma once

#include "harness/report/formats/line.h"
#include "harness/report/results.h"

namespace gridlock::session {

// On a terminal: one line that is written over, and lasting lines for what differs. Otherwise: one
// plain line per run.
class Console {
 public:
  explicit Console(bool is_quiet);

  void begin(const report::Progress& progress);
  void done(const report::Run& run);
  // Removes the line that lives.
  void clear();

 private:
  bool is_quiet_;
  bool is_terminal_;
};

// Columns of the terminal, or the usual number where output goes elsewhere.
std::size_t terminal_columns();

// Prints to standard output, at once. A reader that has gone away is no error.
void print(const std::string& text);

}  // namespace gridlock::session
