// Results for people and for continuous integration.
#pragma once

#include <string>
#include <vector>

#include "harness/accept/execute.h"
#include "harness/accept/result.h"

namespace gridlock::accept {

// "pass  all_reduce/64MiB@8: 251.30 GB/s where the floor is 240.00 GB/s", with a newline.
std::string result_line(const Result& result);

// What stands at the end of a run: of each check that did not pass the evidence, the culprits and
// what to do, then the answer.
std::string to_text(const Acceptance& acceptance);

// The checks that would be run, and how often. Starts nothing.
std::string plan_text(const std::vector<Check>& checks, const Bounds& bounds);

// One page: answer, machine, what did not pass and what to do about it, all checks.
std::string to_markdown(const Acceptance& acceptance);

// A check is a case. One that fails is a `failure`; one that stays open is a `failure` of its own
// type, because a job must not go green by it; a fault of harness or machine is an `error`; one
// that is not needed and did not run, or is excused, is `skipped`.
std::string to_junit(const Acceptance& acceptance);

// For a node's textfile collector: the answer, the checks by answer, and what the machine is.
std::string to_prometheus(const Acceptance& acceptance);

// What was needed and not run, a paragraph for each reason.
std::string left_out(const std::vector<Result>& results);

// "rank 3 on node-a, NVIDIA H200, uuid GPU-…, serial 165…"
std::string culprit_text(const Culprit& culprit);

}  // namespace gridlock::accept
