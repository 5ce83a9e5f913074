// Answers claims from results. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/claims/claim.h"
#include "harness/report/figures/groups.h"

namespace gridlock::claims {

// A run that a claim needs.
struct Needed {
  std::string variant;  // "scenario/variant" or "scenario/*"
  int ranks = 0;        // 0: any number
  bool operator==(const Needed&) const = default;
};

struct Decided {
  const Claim* claim = nullptr;
  Answer answer;
  std::vector<report::Group> shown_by;  // points into the results
  // Nothing if there is no answer to compare: it needs a GPU, or runs are missing.
  std::optional<bool> as_predicted;
};

// The claims with these ids, in the claims' order. A letter alone stands for all claims of a note,
// and no id for all claims. Lower-case letters work too. `unknown` gets the ids that no claim has.
std::vector<const Claim*> select(const std::vector<std::string>& ids,
                                 std::vector<std::string>& unknown);

// `text` in capitals, in which ids are compared.
std::string upper(std::string text);

// What must be run for these claims, each run listed once.
std::vector<Needed> needed_for(const std::vector<const Claim*>& claims);

//   The answers point into `results`.
std::vector<Decided> decide(const std::vector<const Claim*>& claims,
                            const report::Results& results);

}  // namespace gridlock::claims
