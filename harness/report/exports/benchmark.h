// Google Benchmark's JSON, which its compare.py reads.
#pragma once

#include <string>

#include "harness/report/results.h"

namespace gridlock::report {

// One benchmark for each figure of each variant and number of ranks, with one entry for each
// repetition: "uneven_batches/join/ranks:4/step_time". The cost of a cure and the scenario's own
// figures are counters of the step time's entry.
std::string to_benchmark(const Results& results);

}  // namespace gridlock::report
