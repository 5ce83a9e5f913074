// Results for people and for continuous integration.
#pragma once

#include <string>
#include <vector>

#include "harness/accept/execute.h"
#include "harness/accept/result.h"

namespace gridlock::accept {

// "pass  all_reduce/64MiB@8: 251.30 GB/s where the floor is 240.00 GB/s", with a newline.
std::string result_line(const Result& result);

// The end of a run's output: evidence, culprits and advice for each check that did not pass, then
// the answer.
std::string to_text(const Acceptance& acceptance);

// The checks that would run, and how often. Starts nothing.
std::string plan_text(const std::vector<Check>& checks, const Bounds& bounds);

// One page: the answer, the machine, the checks that did not pass with advice, and all checks.
std::string to_markdown(const Acceptance& acceptance);

// A check is a case. A check that fails is a `failure`. An open one is a `failure` of a separate
// type, because it must not turn a job green. A fault of harness or machine is an `error`. A check
// is `skipped` if it is excused, or not needed and not run.
std::string to_junit(const Acceptance& acceptance);

// For a node's textfile collector: the answer, the checks by answer, and what the machine is.
std::string to_prometheus(const Acceptance& acceptance);

// "9 of 9 checks in 12.3 s: 8 pass, 1 fail, 0 inconclusive, 0 infrastructure, …"
std::string counts_text(const Acceptance& acceptance);

// "pass", "fail (waived)", "inconclusive (not run)"
std::string answer_text(const Result& result);

// Needed checks that did not run, all for the same reason.
struct LeftOut {
  std::string name;  // "pair/1MiB@8 and 3 more"
  std::string reason;
  std::string advice;
};
std::vector<LeftOut> left_out_of(const std::vector<Result>& results);

// The same as text, with a paragraph for each reason.
std::string left_out(const std::vector<Result>& results);

// "rank 3 on node-a, NVIDIA H200, uuid GPU-…, serial 165…"
std::string culprit_text(const Culprit& culprit);

}  // namespace gridlock::accept
