// Google Benchmark's JSON, which its compare.py reads.
#pragma once

#include <string>

#include "harness/report/results.h"

namespace gridlock::report {

// One benchmark for each figure of each variant and number of ranks, one entry for each repetition:
// "uneven_batches/join/ranks:4/step_time". What a cure costs and what a scenario measured itself
// are counters beside the step time.
std::string to_benchmark(const Results& results);

}  // namespace gridlock::report
