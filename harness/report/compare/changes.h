// What is different in a new session, and whether it is worse.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/results.h"

namespace gridlock::report {

// The first four are worse.
enum class Kind : std::uint8_t {
  cure_stopped,     // fewer runs of a fix or remedy end as declared
  verdict_worse,    // the same for any other variant
  no_longer_runs,   // it was judged before, and is now skipped or in error
  slower,           // beyond the noise
  verdict_changed,  // another verdict, but no further from the declared one
  faster,
  added,
  gone,
};
std::string_view to_string(Kind kind);
inline bool is_worse(Kind kind) { return kind <= Kind::slower; }

struct Moved {
  double before = 0;  // medians
  double after = 0;
  double p = 1;
  double greater = 0.5;  // share of pairs whose new value is greater
  std::size_t count_before = 0;
  std::size_t count_after = 0;
};

struct Change {
  Kind kind = Kind::verdict_changed;
  std::string name;  // scenario/variant
  int ranks = 0;
  std::string before;  // verdicts; "" if there are none
  std::string after;
  std::string figure;  // if a time changed: "time to detect, ms"
  std::optional<Moved> moved;
};

struct Noise {
  double threshold = 0.1;       // the median must have moved by at least this share,
  double p = 0.01;              // and the test's p-value must be below this
  std::size_t repetitions = 5;  // fewer repetitions are not compared
};

struct Changes {
  std::vector<Change> all;  // the worst first
  int variants = 0;         // in both sessions
  int figures = 0;          // times and costs that could be compared
  int too_few = 0;          // those with too few repetitions to compare

  bool got_worse() const { return !all.empty() && is_worse(all.front().kind); }
};

Changes changes_between(const Results& base, const Results& fresh, const Noise& noise = {});

}  // namespace gridlock::report
