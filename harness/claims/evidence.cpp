// Answers the rules' questions, run by run.
#include "harness/claims/evidence.h"

#include <algorithm>

#include "harness/detect/words/phrases.h"
#include "harness/detect/words/verdict_text.h"
#include "harness/report/figures/groups.h"
#include "harness/report/figures/statistics.h"

namespace gridlock::claims {
namespace {

using detect::Outcome;
using report::Run;

bool is_of(const Run& run, std::string_view variant) {
  if (variant.ends_with("/*")) return run.scenario == variant.substr(0, variant.size() - 2);
  return report::full_name(run) == variant;
}

bool waits(const Run& run, int rank) {
  return std::any_of(run.verdict.waiting.begin(), run.verdict.waiting.end(),
                     [&](const detect::Wait& wait) {
                       return std::count(wait.ranks.begin(), wait.ranks.end(), rank) > 0;
                     });
}

// Whether the rank has an NCCL operation in flight. On a device, this is a spinning kernel.
bool is_busy(const Run& run, int rank) {
  return std::any_of(run.verdict.waiting.begin(), run.verdict.waiting.end(),
                     [&](const detect::Wait& wait) {
                       return record::is_communication(wait.operation) &&
                              std::count(wait.ranks.begin(), wait.ranks.end(), rank) > 0;
                     });
}

bool is_blamed(const Run& run, const detect::Wait& wait) {
  return std::any_of(wait.ranks.begin(), wait.ranks.end(), [&](int rank) {
    return std::count(run.verdict.culprits.begin(), run.verdict.culprits.end(), rank) > 0;
  });
}

// The numbers before " bytes" in a text.
void add_sizes(const std::string& text, std::vector<double>& sizes) {
  static const std::string kUnit = " bytes";
  for (auto end = text.find(kUnit); end != std::string::npos; end = text.find(kUnit, end + 1)) {
    const auto before = text.find_last_not_of("0123456789", end - 1);
    const auto begin = before == std::string::npos ? 0 : before + 1;
    if (begin < end) sizes.push_back(std::stod(text.substr(begin, end - begin)));
  }
}

std::optional<double> median(std::vector<double> values) {
  const auto all = report::spread(std::move(values));
  return all ? std::optional(all->median) : std::nullopt;
}

}  // namespace

bool is_hang(Outcome outcome) { return outcome == Outcome::deadlock || outcome == Outcome::stall; }

std::vector<const Run*> Evidence::attempts(std::string_view variant) const {
  std::vector<const Run*> found;
  for (const Run& run : results_.runs) {
    if (is_of(run, variant)) found.push_back(&run);
  }
  return found;
}

std::vector<const Run*> Evidence::runs(std::string_view variant) const {
  std::vector<const Run*> found = attempts(variant);
  std::erase_if(found, [](const Run* run) { return run->status != report::Status::judged; });
  return found;
}

std::vector<std::string> Evidence::variants(std::string_view scenario,
                                            std::string_view role) const {
  std::vector<std::string> names;
  for (const Run* run : runs(std::string(scenario) + "/*")) {
    const std::string name = report::full_name(*run);
    if (run->role == role && std::count(names.begin(), names.end(), name) == 0) {
      names.push_back(name);
    }
  }
  return names;
}

bool Evidence::every(std::string_view variant, const std::function<bool(const Run&)>& holds) const {
  const auto all = runs(variant);
  return !all.empty() &&
         std::all_of(all.begin(), all.end(), [&](const Run* run) { return holds(*run); });
}

bool Evidence::hangs(std::string_view variant) const {
  return every(variant, [](const Run& run) { return is_hang(run.verdict.outcome); });
}

bool Evidence::deadlocks(std::string_view variant) const {
  return every(variant, [](const Run& run) { return run.verdict.outcome == Outcome::deadlock; });
}

bool Evidence::completes(std::string_view variant) const {
  return every(variant, [](const Run& run) { return run.verdict.outcome == Outcome::completes; });
}

bool Evidence::corrupts(std::string_view variant) const {
  return every(variant, [](const Run& run) { return run.verdict.outcome == Outcome::corrupts; });
}

bool Evidence::errs(std::string_view variant) const {
  return every(variant, [](const Run& run) {
    return run.verdict.outcome == Outcome::fails || run.verdict.outcome == Outcome::crashes;
  });
}

bool Evidence::ends(std::string_view variant) const {
  return every(variant, [](const Run& run) { return !is_hang(run.verdict.outcome); });
}

bool Evidence::has_cause(std::string_view variant, detect::Cause cause) const {
  return every(variant, [&](const Run& run) { return run.verdict.cause == cause; });
}

bool Evidence::waits_in(std::string_view variant, std::string_view label) const {
  return every(variant, [&](const Run& run) {
    const auto& waiting = run.verdict.waiting;
    return std::any_of(waiting.begin(), waiting.end(), [&](const detect::Wait& wait) {
      return std::string_view(wait.label).starts_with(label);
    });
  });
}

bool Evidence::host_waits_in(std::string_view variant, record::Call call) const {
  return every(variant, [&](const Run& run) {
    const auto& waiting = run.verdict.waiting;
    return std::any_of(waiting.begin(), waiting.end(),
                       [&](const detect::Wait& wait) { return wait.host_call == call; });
  });
}

bool Evidence::blames_the_silent(std::string_view variant) const {
  return every(variant, [](const Run& run) {
    const auto& culprits = run.verdict.culprits;
    return !culprits.empty() && !run.verdict.waiting.empty() &&
           std::none_of(culprits.begin(), culprits.end(),
                        [&](int rank) { return waits(run, rank); });
  });
}

bool Evidence::blames_the_busy(std::string_view variant) const {
  return every(variant, [](const Run& run) {
    const auto& culprits = run.verdict.culprits;
    return !culprits.empty() && std::all_of(culprits.begin(), culprits.end(),
                                            [&](int rank) { return is_busy(run, rank); });
  });
}

bool Evidence::blames_another_call(std::string_view variant) const {
  return every(variant, [](const Run& run) {
    const auto& waiting = run.verdict.waiting;
    const auto blamed = std::find_if(waiting.begin(), waiting.end(), [&](const detect::Wait& wait) {
      return is_blamed(run, wait);
    });
    return blamed != waiting.end() && waiting.size() > 1 &&
           std::all_of(waiting.begin(), waiting.end(), [&](const detect::Wait& wait) {
             return is_blamed(run, wait) || wait.operation != blamed->operation;
           });
  });
}

bool Evidence::is_told(std::string_view variant) const {
  return every(variant, [](const Run& run) {
    const detect::Verdict& verdict = run.verdict;
    return !verdict.culprits.empty() && !explanation(verdict).empty() && !verdict.waiting.empty() &&
           std::all_of(verdict.waiting.begin(), verdict.waiting.end(),
                       [](const detect::Wait& wait) {
                         return wait.operation != record::Call::none && !wait.caller.empty();
                       });
  });
}

std::vector<int> Evidence::culprits(std::string_view variant) const {
  const auto all = runs(variant);
  if (all.empty()) return {};
  const std::vector<int>& first = all.front()->verdict.culprits;
  return every(variant, [&](const Run& run) { return run.verdict.culprits == first; })
             ? first
             : std::vector<int>{};
}

std::vector<double> Evidence::sizes_told(std::string_view variant) const {
  std::vector<double> sizes;
  for (const Run* run : runs(variant)) {
    for (const auto& fault : run->verdict.faults) add_sizes(detect::text_of(fault.what), sizes);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

std::vector<double> Evidence::by_rank(std::string_view variant, const std::string& figure) const {
  std::vector<std::vector<double>> values;  // [rank][run]
  for (const Run* run : runs(variant)) {
    const auto found = run->figures.find(figure);
    if (found == run->figures.end() || found->second.size() < values.size()) continue;
    if (found->second.size() > values.size()) {
      values.assign(found->second.size(), {});
    }
    for (std::size_t rank = 0; rank < values.size(); ++rank) {
      values[rank].push_back(found->second[rank]);
    }
  }
  std::vector<double> medians;
  medians.reserve(values.size());
  for (std::vector<double>& rank : values) medians.push_back(*median(std::move(rank)));
  return medians;
}

std::optional<double> Evidence::figure(std::string_view variant, const std::string& figure) const {
  return figure_at(variant, 0, figure);
}

std::optional<double> Evidence::figure_at(std::string_view variant, int ranks,
                                          const std::string& figure) const {
  std::vector<double> values;
  for (const Run* run : runs(variant)) {
    const auto found = run->figures.find(figure);
    if (found == run->figures.end() || (ranks > 0 && run->ranks != ranks)) continue;
    values.insert(values.end(), found->second.begin(), found->second.end());
  }
  return median(std::move(values));
}

std::size_t Evidence::reports(std::string_view variant, const std::string& figure) const {
  const auto all = runs(variant);
  return static_cast<std::size_t>(std::count_if(
      all.begin(), all.end(), [&](const Run* run) { return run->figures.contains(figure); }));
}

std::optional<report::Spread> Evidence::ratio(std::string_view variant, const std::string& figure,
                                              const std::string& base) const {
  std::vector<double> ratios;
  for (const Run* run : runs(variant)) {
    const auto over = run->figures.find(figure);
    const auto under = run->figures.find(base);
    if (over == run->figures.end() || under == run->figures.end()) continue;
    const auto above = median(over->second);
    const auto below = median(under->second);
    if (above && below && *below > 0) ratios.push_back(*above / *below);
  }
  return report::spread(std::move(ratios));
}

std::optional<report::Spread> Evidence::step_ratio(std::string_view variant,
                                                   std::string_view base) const {
  std::vector<double> ratios;
  for (const Run* run : runs(variant)) {
    for (const Run* other : runs(base)) {
      if (other->repetition != run->repetition || other->ranks != run->ranks) continue;
      if (!run->step_time_us || !other->step_time_us || *other->step_time_us <= 0) continue;
      ratios.push_back(*run->step_time_us / *other->step_time_us);
      break;
    }
  }
  return report::spread(std::move(ratios));
}

bool Evidence::all_ranks_report(std::string_view variant, const std::string& figure) const {
  return every(variant, [&](const Run& run) {
    const auto found = run.figures.find(figure);
    return found != run.figures.end() &&
           found->second.size() == static_cast<std::size_t>(run.ranks);
  });
}

}  // namespace gridlock::claims
