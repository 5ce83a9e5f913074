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
  cure_stopped,     // a fix or remedy did what it declares, and no longer does in every run
  verdict_worse,    // the same of any other variant
  no_longer_runs,   // it was judged, and is now skipped or in error
  slower,           // beyond the noise
  verdict_changed,  // another verdict, no further from what is declared
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
  double greater = 0.5;  // share of pairs in which the new value is greater
  std::size_t count_before = 0;
  std::size_t count_after = 0;
};

struct Change {
  Kind kind = Kind::verdict_changed;
  std::string name;  // scenario/variant
  int ranks = 0;
  std::string before;  // verdicts; "" where there is none
  std::string after;
  std::string figure;  // of a time: "time to detect, ms"
  std::optional<Moved> moved;
};

struct Noise {
  double threshold = 0.1;       // a median must have moved by this share at least
  double p = 0.01;              // and chance must be less likely than this to explain it
  std::size_t repetitions = 5;  // fewer than these say nothing
};

struct Changes {
  std::vector<Change> all;  // what is worse first
  int variants = 0;         // in both sessions
  int figures = 0;          // times and costs that could be compared
  int too_few = 0;          // that could not, because there were too few repetitions

  bool got_worse() const { return !all.empty() && is_worse(all.front().kind); }
};

Changes changes_between(const Results& base, const Results& fresh, const Noise& noise = {});

}  // namespace gridlock::report
