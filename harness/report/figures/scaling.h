// How much more work is done by more ranks, compared with what the field notes promise (claim C8).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/report/figures/statistics.h"
#include "harness/report/results.h"

namespace gridlock::report {

// A promised speed-up over one rank, from least to greatest.
struct Promise {
  int ranks;
  double least;
  double greatest;
};
inline constexpr Promise kPromisedSpeedUps[] = {{2, 1.8, 1.9}, {4, 3.5, 3.8}, {8, 7.0, 7.5}};

// Where a speed-up measured on GPUs lies relative to the promise.
enum class Standing { inside, below, above };
std::string_view to_string(Standing standing);

// A variant that reports `speed_up`, with one number of ranks. This is weak scaling: each rank's
// batch keeps its size, so more ranks process more samples per step.
struct Scaling {
  std::string scenario;
  std::string variant;
  int ranks = 0;
  std::optional<Spread> step_time_us;
  std::optional<double> samples_per_second;  // of all ranks; needs a reported `samples_per_step`
  Spread speed_up;                           // over the same work on one rank alone
  std::optional<Promise> promise;
  std::optional<Standing> standing;  // none without a promise, or if not measured on GPUs

  double efficiency() const { return speed_up.median / ranks; }
};

// Why these results say nothing about GPUs; "" if each rank had its own GPU.
std::string why_no_gpu_scaling(const Context& context);

// In the order in which they were first run.
std::vector<Scaling> scaling_of(const Results& results);

// The table for a terminal, and for report.md; "" if no variant was run with several numbers of
// ranks, because then there is nothing to compare.
std::string scaling_text(const Results& results);
std::string scaling_markdown(const Results& results);

}  // namespace gridlock::report
