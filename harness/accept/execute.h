// Runs the checks one after the other, within their limits.
#pragma once

#include <vector>

#include "harness/accept/judge/judge.h"

namespace gridlock::accept {

// Whoever can run a check: the agent, or a test.
class Machine {
 public:
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  virtual ~Machine() = default;

  // Runs the check once (a soak: for its time). Nothing of it is left when this returns.
  //   limit    after which it ends in any case, with what the detector says of it
  //   Blocks   at most for about `limit`
  virtual report::Run run(const Check& check, int repetition, Duration limit) = 0;
  // Why the run has been asked to end; "" when it has not. What ran meanwhile does not count.
  virtual std::string interrupted() = 0;
  virtual Duration now() = 0;
  // Says of a culprit where it is, where that is not this node.
  virtual void locate(Culprit& culprit) = 0;
  // A check is about to begin, and is done: its result is the last one.
  virtual void begin(const Check& check) = 0;
  virtual void done(const Acceptance& acceptance) = 0;
};

struct Bounds {
  Duration whole{};    // of the whole run; zero: none
  int stop_after = 0;  // failures that count; 0: never
  int until_fail = 0;  // repetitions of each check, ended by the first run that is not as it should
                       // be; 0: the profile's own number
};

// Fills `acceptance.results`. Checks that are in `earlier` by their id are taken from there.
//   Blocks   for as long as the checks take, at most for `bounds.whole`
void execute(const std::vector<Check>& checks, const std::vector<Result>& earlier,
             const Facts& facts, const Bounds& bounds, Machine& machine, Acceptance& acceptance);

}  // namespace gridlock::accept
