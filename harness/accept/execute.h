// Runs the checks one after the other, within their limits.
#pragma once

#include <vector>

#include "harness/accept/judge/judge.h"

namespace gridlock::accept {

// Runs checks: the agent, or a test's stand-in.
class Machine {
 public:
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  virtual ~Machine() = default;

  // Runs the check once (a soak: for its duration). Nothing of the run is left when this returns.
  //   limit    the run ends after this in any case, with the detector's verdict
  //   Blocks   at most for about `limit`
  virtual report::Run run(const Check& check, int repetition, Duration limit) = 0;
  // Why the run was asked to end. Empty if it was not. A run in progress then does not count.
  virtual std::string interrupted() = 0;
  virtual Duration now() = 0;
  // Fills in a culprit's host and GPU if it is on another node.
  virtual void locate(Culprit& culprit) = 0;
  // Called before a check begins, and after it is done. Its result is then the last one.
  virtual void begin(const Check& check) = 0;
  virtual void done(const Acceptance& acceptance) = 0;
};

struct Bounds {
  Duration whole{};    // of the whole run; zero: none
  int stop_after = 0;  // failures that count; 0: never
  int until_fail = 0;  // repetitions of each check, ended by the first run that is not as it should
                       // be; 0: the profile's own number
};

// Fills `acceptance.results`. Takes a check's result from `earlier` if its id is there.
//   Blocks   for as long as the checks take, at most for `bounds.whole`
void execute(const std::vector<Check>& checks, const std::vector<Result>& earlier,
             const Facts& facts, const Bounds& bounds, Machine& machine, Acceptance& acceptance);

}  // namespace gridlock::accept
