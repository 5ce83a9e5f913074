// Shows a session's progress while it runs.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>

#include "harness/base/duration.h"
#include "harness/record/snapshot.h"
#include "harness/report/formats/line.h"
#include "harness/report/results.h"

namespace gridlock::session {

// On a terminal: a few lines that are overwritten, and lasting lines for runs that differ from the
// declaration. Elsewhere: one plain line per run.
class Console {
 public:
  explicit Console(bool is_quiet);

  // Whether output goes to a terminal, where lines can be overwritten.
  bool is_live() const { return is_terminal_; }

  void begin(const report::Progress& progress);
  // Tells the time left from a session's length, not from the number of planned runs.
  void end_after(Duration length) { length_ = length; }
  // Shows what the ranks of the current run do, if it was shown long enough ago.
  void look(std::span<const record::Snapshot> ranks);
  void done(const report::Run& run);
  // Replaces the lines that are shown now. REQUIRES: is_live()
  void show(const std::vector<std::string>& lines);
  // Removes the lines that are shown now.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  std::string headline() const;

  bool is_quiet_;
  bool is_terminal_;
  std::size_t lines_ = 0;  // shown now
  report::Progress progress_;
  std::optional<Clock::time_point> began_;  // the session
  std::optional<Duration> length_;          // of the session, if it is known
  Clock::time_point run_began_;
  Clock::time_point shown_;
};

// "ranks 0-2 in stream_synchronize, after all_reduce #12": a line for each group of ranks in the
// same state; many groups are cut, and say so.
std::vector<std::string> state_lines(std::span<const record::Snapshot> ranks);

// Columns of the terminal, or the usual number if output goes elsewhere.
std::size_t terminal_columns();

// Whether standard output is a terminal that wants color: NO_COLOR is not set (no-color.org).
bool wants_colour();

// From now on, everything that this program or a rank writes to standard output goes to standard
// error. Returns a path through which the real standard output can be written, once.
std::filesystem::path standard_output_alone();

// Prints to standard output immediately. A reader that has gone away is not an error.
void print(const std::string& text);

}  // namespace gridlock::session
