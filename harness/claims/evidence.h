// The questions that rules may ask about a session's results.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/figures/statistics.h"
#include "harness/report/results.h"

namespace gridlock::claims {

// The answer for a variant that was never run is no, or nothing. If a variant was run several
// times, "yes" means in every run.
class Evidence {
 public:
  // `results` must outlive this.
  explicit Evidence(const report::Results& results) : results_(results) {}

  const report::Context& context() const { return results_.context; }

  // The runs of "scenario/variant" that have a verdict. "scenario/*" means all variants.
  std::vector<const report::Run*> runs(std::string_view variant) const;
  // The same, with or without a verdict.
  std::vector<const report::Run*> attempts(std::string_view variant) const;
  // Names of a scenario's variants of this role that were run.
  std::vector<std::string> variants(std::string_view scenario, std::string_view role) const;

  bool every(std::string_view variant, const std::function<bool(const report::Run&)>& holds) const;

  bool hangs(std::string_view variant) const;      // deadlock or stall
  bool deadlocks(std::string_view variant) const;  // proven
  bool completes(std::string_view variant) const;  // with right numbers, if they are checked
  bool corrupts(std::string_view variant) const;   // completes with wrong numbers
  bool errs(std::string_view variant) const;       // an error, or a signal, ended it
  bool ends(std::string_view variant) const;       // anything but a hang

  bool has_cause(std::string_view variant, detect::Cause cause) const;
  // Some rank waits under a label that begins with `label`.
  bool waits_in(std::string_view variant, std::string_view label) const;
  // Some rank's host thread is in this call.
  bool host_waits_in(std::string_view variant, record::Call call) const;
  // The culprits are known, and wait in no recorded operation.
  bool blames_the_silent(std::string_view variant) const;
  // The culprits are known, and each has a collective or message in flight on its device.
  bool blames_the_busy(std::string_view variant) const;
  // The culprits are known, and wait in a different operation from all other ranks.
  bool blames_another_call(std::string_view variant) const;
  // The records name the culprits, and each waiting rank's call and caller.
  bool is_told(std::string_view variant) const;
  // The culprits, if all runs have the same.
  std::vector<int> culprits(std::string_view variant) const;
  // The numbers of bytes that the verdict gives for mismatched calls.
  std::vector<double> sizes_told(std::string_view variant) const;

  // By rank: medians over the runs with the most ranks. Empty if no run reports the figure.
  std::vector<double> by_rank(std::string_view variant, const std::string& figure) const;
  // Median over ranks and runs.
  std::optional<double> figure(std::string_view variant, const std::string& figure) const;
  // The same over runs with this number of ranks.
  std::optional<double> figure_at(std::string_view variant, int ranks,
                                  const std::string& figure) const;
  // In how many runs some rank reports this figure.
  std::size_t reports(std::string_view variant, const std::string& figure) const;
  // The ratio of two figures of the same run (medians over ranks), over the runs that have both.
  std::optional<report::Spread> ratio(std::string_view variant, const std::string& figure,
                                      const std::string& base) const;
  // A variant's step time divided by another's in the same repetition, with the same number of
  // ranks.
  std::optional<report::Spread> step_ratio(std::string_view variant, std::string_view base) const;
  // Whether every rank of every run reports this figure.
  bool all_ranks_report(std::string_view variant, const std::string& figure) const;

 private:
  const report::Results& results_;
};

// "deadlock or stall": what the agent calls a hang.
bool is_hang(detect::Outcome outcome);

}  // namespace gridlock::claims
