// Hand-written results for the tests of the rules.
#pragma once

#include <string>
#include <vector>

#include "harness/claims/decide.h"
#include "harness/report/results.h"

namespace gridlock::claims {

// A session on the simulation, built run by run.
class Sessions {
 public:
  Sessions() { results_.context.backend = "sim"; }

  // Adds a run of "scenario/variant" and returns it, to be completed.
  report::Run& add(const std::string& name, detect::Outcome outcome, std::string role = "broken") {
    report::Run run;
    run.scenario = name.substr(0, name.find('/'));
    run.variant = name.substr(name.find('/') + 1);
    run.role = std::move(role);
    run.ranks = 4;
    run.verdict.outcome = outcome;
    run.as_declared = true;
    results_.runs.push_back(std::move(run));
    return results_.runs.back();
  }
  void hangs(const std::string& name) { add(name, detect::Outcome::deadlock); }
  void completes(const std::string& name) { add(name, detect::Outcome::completes, "fix"); }

  report::Results& results() { return results_; }

 private:
  report::Results results_;
};

// The answer of this claim's rule to them.
inline Decided answer(const std::string& id, const report::Results& results) {
  std::vector<std::string> unknown;
  return decide(select({id}, unknown), results).at(0);
}

}  // namespace gridlock::claims
