// Counts the runs of a soak, which repeats controls and fixes for hours. None of them may hang, so
// every reported hang is a false alarm.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "harness/accept/judge/drift.h"
#include "harness/base/limits.h"
#include "harness/report/results.h"

namespace gridlock::accept {

struct Soaked {
  int runs = 0;
  int as_declared = 0;
  int false_alarms = 0;  // said to hang
  int others = 0;        // ended otherwise than declared
  int errors = 0;        // of the harness or the machine
  std::vector<Point> step_us;
};

// A running total. Its memory hardly grows with the number of runs.
class SoakTally {
 public:
  // `began_s` is in seconds since the soak began; `took_s` is the run's duration.
  void add(const report::Run& run, double began_s, double took_s);

  const std::map<std::string, Soaked>& variants() const { return variants_; }
  Soaked total() const;
  double rank_hours() const { return rank_seconds_ / 3600; }
  // What was reported about the first runs that were not as declared.
  const std::vector<std::string>& odd() const { return odd_; }
  // The drift of the step time over all variants, as a share of the variant's median per hour.
  std::optional<Slope> drift() const;

 private:
  std::map<std::string, Soaked> variants_;  // by scenario/variant
  double rank_seconds_ = 0;
  std::vector<std::string> odd_;
};

struct Soaking {
  report::Context context;
  double seconds = 0;
  std::uint64_t seed = 0;
  int delays = 0;        // that were made
  double delayed_s = 0;  // all together
  std::string ended;     // why it ended early; "" if it did not
  SoakTally tally;
};

// 0 if all was as declared, 1 if something was not, 3 if harness or machine failed, 4 if nothing
// ran.
int exit_code(const SoakTally& tally);

// "2 false alarms in 31.2 rank-hours: 0.064 an hour"; with none, the rate that they stay below with
// 95 % confidence: 3 / rank-hours (rule of three, Hanley and Lippman-Hand 1983).
std::string alarm_text(const SoakTally& tally);

std::string to_text(const Soaking& soaking);
std::string to_json(const Soaking& soaking);  // schema gridlock.soak/2
std::string to_markdown(const Soaking& soaking);

}  // namespace gridlock::accept
