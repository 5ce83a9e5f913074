// The result of each check and of all checks together, as plain values for the reports.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/accept/profile/check.h"
#include "harness/catalogue/gpus.h"
#include "harness/report/figures/statistics.h"
#include "harness/report/results.h"

namespace gridlock::accept {

enum class Answer { pass, fail, inconclusive, infrastructure };
std::string_view to_string(Answer answer);

// 0, 1, 4, 3.
int exit_code(Answer answer);

using catalogue::Gpu;

struct Culprit {
  int rank = 0;
  std::string host;
  std::optional<Gpu> gpu;  // none: simulated
};

// A measured quantity, over the repetitions.
struct Figure {
  std::string unit;  // "GB/s", "x"
  report::Spread spread;
  std::optional<double> floor;  // what was asked for, in the same unit
};

struct Result {
  std::string id;
  Kind kind = Kind::scenario;
  int ranks = 0;
  std::vector<std::string> tags;
  bool needed = true;
  Answer answer = Answer::inconclusive;
  bool was_run = true;  // false: skipped, or not reached
  std::optional<Excuse> excuse;
  int runs = 0;
  int passed = 0;        // runs in which nothing was wrong
  std::string reason;    // one sentence
  std::string evidence;  // several lines; "" if there is nothing to show
  std::string advice;    // what to do; "" if it passed
  std::vector<Culprit> culprits;
  std::optional<Figure> figure;
};

// A waived or expected failure does not count.
inline bool is_excused(const Result& result) {
  return result.excuse.has_value() && result.answer != Answer::pass && result.was_run &&
         result.answer != Answer::infrastructure;
}

struct Acceptance {
  report::Context context;
  std::string profile;  // its name
  std::string summary;  // the profile's own summary
  std::string digest;   // of profile, back end and selection: what --resume compares
  int planned = 0;      // checks
  std::string ended;    // why it ended early; "" if it did not
  double seconds = 0;
  std::vector<Result> results;
};

// Combines the checks' answers. One failure that counts makes it a fail. Otherwise a fault of
// harness or machine decides, then a needed check that stayed open.
Answer answer_of(const Acceptance& acceptance);

struct Counts {
  int pass = 0;
  int fail = 0;
  int inconclusive = 0;
  int infrastructure = 0;
  int excused = 0;
  int skipped = 0;  // not needed, and not run
};
Counts count(const std::vector<Result>& results);

// What a reader must know about the figures: that they are simulated, or from a shared GPU. Empty
// if nothing.
std::string caution(const Acceptance& acceptance);

}  // namespace gridlock::accept
