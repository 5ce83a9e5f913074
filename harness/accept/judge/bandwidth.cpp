// Judges floors by the sign test, and outliers by the modified z-score.
#include "harness/accept/judge/bandwidth.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/accept/judge/advice.h"
#include "harness/accept/judge/outliers.h"
#include "harness/accept/profile/quantity.h"
#include "harness/base/text.h"
#include "harness/report/formats/text.h"

namespace gridlock::accept {
namespace {

using report::Run;

constexpr double kGiga = 1e9;

struct Floor {
  double least = 0;
  std::string origin;  // "the profile's", "90% of the baseline's 240 GB/s (2026-11-01, node-a)"
};

const std::vector<double>& by_rank(const Run& run) { return run.figures.at(kBusBandwidth); }

bool has_figures(const Check& check, const Run& run) {
  const auto found = run.figures.find(kBusBandwidth);
  return found != run.figures.end() &&
         found->second.size() == static_cast<std::size_t>(check.ranks) &&
         std::all_of(found->second.begin(), found->second.end(),
                     [](double value) { return std::isfinite(value) && value > 0; });
}

// The figure of a run. If each rank has its own figure, the worst one counts.
double figure_of(const Check& check, const Run& run) {
  const auto all = report::spread(by_rank(run));
  return check.is_a_ranks_own ? all->least : all->median;
}

// Adds one part's findings to the result. The worst answer stands.
void add(Result& result, Answer answer, const std::string& reason) {
  const bool is_worse =
      answer == Answer::fail || (answer == Answer::inconclusive && result.answer == Answer::pass);
  if (is_worse) result.answer = answer;
  result.reason += (result.reason.empty() ? "" : "; ") + reason;
}

std::string table_of(const std::vector<Run>& runs) {
  std::string text;
  for (const Run& run : runs) {
    text += fmt::format("run {}: by rank, GB/s:", run.repetition + 1);
    for (const double value : by_rank(run)) text += fmt::format(" {:.3g}", value / kGiga);
    text += "\n";
  }
  return text;
}

// The ranks for which `is` holds in every run.
template <typename Predicate>
std::vector<int> always(const Check& check, const std::vector<Run>& runs, Predicate is) {
  std::vector<int> ranks;
  for (int rank = 0; rank < check.ranks; ++rank) {
    if (std::all_of(runs.begin(), runs.end(), [&](const Run& run) { return is(run, rank); })) {
      ranks.push_back(rank);
    }
  }
  return ranks;
}

double at(const Run& run, int rank) { return by_rank(run)[static_cast<std::size_t>(rank)]; }

// The slowest rank, by its median over the runs.
int slowest(const Check& check, const std::vector<Run>& runs) {
  std::vector<double> medians;
  medians.reserve(static_cast<std::size_t>(check.ranks));
  for (int rank = 0; rank < check.ranks; ++rank) {
    std::vector<double> values;
    values.reserve(runs.size());
    for (const Run& run : runs) values.push_back(at(run, rank));
    medians.push_back(report::spread(std::move(values))->median);
  }
  return static_cast<int>(std::min_element(medians.begin(), medians.end()) - medians.begin());
}

void judge_floor(const Check& check, const std::vector<Run>& runs, const Floor& floor,
                 const Facts& facts, Result& result) {
  result.figure->floor = std::max(result.figure->floor.value_or(0), floor.least / kGiga);
  const auto below = std::count_if(runs.begin(), runs.end(), [&](const Run& run) {
    return figure_of(check, run) < floor.least;
  });
  const std::string found =
      fmt::format("{}{} where {} is {}", bandwidth_text(result.figure->spread.median * kGiga),
                  check.is_a_ranks_own ? " on the slowest rank" : "", floor.origin,
                  bandwidth_text(floor.least));
  if (below == 0) return add(result, Answer::pass, found);
  if (below < static_cast<std::ptrdiff_t>(runs.size())) {
    result.advice = advice_on_noise(check.id);
    return add(result, Answer::inconclusive,
               fmt::format("too noisy: {} in {} of {} runs", found, below, runs.size()));
  }
  const std::vector<int> slow =
      always(check, runs, [&](const Run& run, int rank) { return at(run, rank) < floor.least; });
  const bool all_alike = static_cast<int>(slow.size()) == check.ranks || slow.empty();
  std::string who = fmt::format("{} below it in all runs", ranks_text(slow));
  if (all_alike && check.ranks > 1) {
    who = fmt::format("all ranks are below it; the slowest is rank {}", slowest(check, runs));
  }
  accuse(result, all_alike && check.ranks > 1 ? std::vector<int>{slowest(check, runs)} : slow,
         facts);
  result.advice = all_alike ? advice_on_slowness(facts.baseline.has_value()) : advice_on_a_rank();
  add(result, Answer::fail, fmt::format("{}, in all {} runs: {}", found, runs.size(), who));
}

void judge_share(const Check& check, const std::vector<Run>& runs, const Facts& facts,
                 Result& result) {
  const auto unusable = [&](const std::string& why) {
    result.advice = advice_on_baseline();
    add(result, Answer::inconclusive, why);
  };
  if (!facts.baseline) return unusable("there is no baseline");
  const Baseline& baseline = *facts.baseline;
  if (baseline.backend != facts.backend || baseline.gpu != facts.gpu) {
    return unusable(fmt::format("the baseline is from {} ({}), this is {} ({})",
                                baseline.gpu.empty() ? "no GPU" : baseline.gpu, baseline.backend,
                                facts.gpu.empty() ? "no GPU" : facts.gpu, facts.backend));
  }
  const auto known = baseline.figures.find(check.id);
  if (known == baseline.figures.end()) {
    return unusable(fmt::format("the baseline has no figure for {}", check.id));
  }
  const double share = *check.floors.share;
  judge_floor(
      check, runs,
      {.least = share * known->second.median,
       .origin = fmt::format("{:.0f}% of the baseline's {} ({}, {})", share * 100,
                             bandwidth_text(known->second.median), baseline.host, baseline.date)},
      facts, result);
}

void judge_peers(const Check& check, const std::vector<Run>& runs, const Facts& facts,
                 Result& result) {
  if (static_cast<std::size_t>(check.ranks) < kLeastPeers) {
    result.advice = advice_on_few_peers();
    return add(result, Answer::inconclusive,
               fmt::format("{} ranks are too few to compare with each other, {} are needed",
                           check.ranks, kLeastPeers));
  }
  std::map<int, int> times;
  std::string worst;
  for (const Run& run : runs) {
    for (const Peer& peer : slow_outliers(by_rank(run), *check.floors.margin)) {
      ++times[static_cast<int>(peer.index)];
      worst = fmt::format("{:.0f}% below the median, score {:.1f}", peer.below * 100, peer.score);
    }
  }
  const auto total = static_cast<int>(runs.size());
  const std::vector<int> slow =
      always(check, runs, [&](const Run&, int rank) { return times[rank] == total; });
  if (!slow.empty()) {
    accuse(result, slow, facts);
    result.advice = advice_on_a_rank();
    add(result, Answer::fail,
        fmt::format("{} {} slower than the others in all {} runs ({})", ranks_text(slow),
                    slow.size() == 1 ? "is" : "are", total, worst));
  } else if (const auto some =
                 std::find_if(times.begin(), times.end(), [](auto& one) { return one.second > 0; });
             some != times.end()) {
    result.advice = advice_on_noise(check.id);
    add(result, Answer::inconclusive,
        fmt::format("too noisy: rank {} is slower than the others in {} of {} runs", some->first,
                    some->second, total));
  } else {
    add(result, Answer::pass, "no rank is slower than the others");
  }
}

}  // namespace

void accuse(Result& result, const std::vector<int>& ranks, const Facts& facts) {
  for (const int rank : ranks) {
    const bool is_known = std::any_of(result.culprits.begin(), result.culprits.end(),
                                      [&](const Culprit& culprit) { return culprit.rank == rank; });
    if (is_known) continue;
    Culprit culprit{.rank = rank, .host = facts.host, .gpu = {}};
    if (!facts.gpus.empty()) {
      culprit.gpu = facts.gpus[static_cast<std::size_t>(rank) % facts.gpus.size()];
    }
    result.culprits.push_back(std::move(culprit));
  }
}

void judge_bandwidth(const Check& check, const std::vector<Run>& runs, const Facts& facts,
                     Result& result) {
  std::vector<double> figures;
  for (const Run& run : runs) {
    if (!has_figures(check, run)) {
      result.answer = Answer::infrastructure;
      result.reason =
          fmt::format("run {} did not report {} of every rank", run.repetition + 1, kBusBandwidth);
      result.advice = advice_on_infrastructure();
      return;
    }
    figures.push_back(figure_of(check, run) / kGiga);
  }
  result.figure = Figure{.unit = "GB/s", .spread = *report::spread(figures), .floor = {}};
  result.evidence = table_of(runs);
  const Floors& floors = check.floors;
  const bool is_asked = floors.least || floors.share || floors.margin;
  if (is_asked && shares_gpus(check, facts)) {
    result.answer = Answer::inconclusive;
    result.reason = "ranks take turns on a GPU, so their bandwidth says nothing";
    result.advice = advice_on_sharing();
    return;
  }
  result.answer = Answer::pass;
  if (floors.least) {
    judge_floor(check, runs, {.least = *floors.least, .origin = "the floor"}, facts, result);
  }
  if (floors.share) judge_share(check, runs, facts, result);
  if (floors.margin) judge_peers(check, runs, facts, result);
  if (!is_asked) {
    result.reason = fmt::format("{}, right numbers; no floor was asked for",
                                bandwidth_text(result.figure->spread.median * kGiga));
  }
}

}  // namespace gridlock::accept
