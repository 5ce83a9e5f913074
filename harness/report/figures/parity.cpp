// Compares groups of runs side by side.
#include "harness/report/figures/parity.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/base/text.h"
#include "harness/report/figures/groups.h"
#include "harness/report/formats/text.h"

namespace gridlock::report {
namespace {

using Texts = std::set<std::string>;

std::string end_of(const Run& run) {
  if (run.status == Status::skipped) return "skipped: " + run.reason;
  if (run.status == Status::error) return "error: " + run.reason;
  std::string text(to_string(run.verdict.outcome));
  if (run.verdict.cause != detect::Cause::none) {
    text += fmt::format(" ({})", to_string(run.verdict.cause));
  }
  if (!run.verdict.culprits.empty()) text += ", " + ranks_text(run.verdict.culprits);
  return text;
}

// "ranks 0-2: all_reduce, host in stream_synchronize". A call whose own host thread waits in it, as
// NCCL's do while they connect, is said once.
std::string where_of(const detect::Wait& wait) {
  std::string text = fmt::format("{}: {}", ranks_text(wait.ranks), to_string(wait.operation));
  if (wait.host_call == record::Call::none) return text + ", host runs";
  if (wait.host_call == wait.operation) return text + " (host)";
  return text + fmt::format(", host in {}", to_string(wait.host_call));
}

std::string where_of(const Run& run) {
  std::string text;
  for (const detect::Wait& wait : run.verdict.waiting) {
    text += (text.empty() ? "" : "; ") + where_of(wait);
  }
  return text;
}

// How the group's runs ended, each way once.
Texts ends_of(const Group& group) {
  Texts ends;
  for (const Run* run : group.runs) ends.insert(end_of(*run));
  return ends;
}

std::string joined_by_or(const Texts& texts) {
  std::string text;
  for (const std::string& one : texts) text += (text.empty() ? "" : " or ") + one;
  return text;
}

std::string median_ms(const Group& group, std::optional<double> Run::*figure) {
  const auto times = spread_of(group, figure);
  return times ? fmt::format("{:.2f}", times->median) : "-";
}

std::string log_lines_of(const Group& group) {
  double lines = 0;
  for (const Run* run : group.runs) {
    const auto found = run->figures.find("nccl_log_lines");
    if (found == run->figures.end()) continue;
    for (const double of_rank : found->second) lines += of_rank;
  }
  return lines > 0 ? fmt::format("{:.0f}", lines / static_cast<double>(group.runs.size())) : "-";
}

ParityEnd ending_of(const Group* group) {
  if (group == nullptr) {
    return {.end = "not run", .where = "", .hang_ms = "-", .detect_ms = "-", .log_lines = "-"};
  }
  Texts places;
  for (const Run* run : group->runs) {
    if (std::string where = where_of(*run); !where.empty()) places.insert(std::move(where));
  }
  return {.end = joined_by_or(ends_of(*group)),
          .where = joined_by_or(places),
          .hang_ms = median_ms(*group, &Run::time_to_hang_ms),
          .detect_ms = median_ms(*group, &Run::time_to_detect_ms),
          .log_lines = log_lines_of(*group)};
}

bool accepts(const Run& run) {
  return run.as_declared &&
         std::count(run.expected.begin(), run.expected.end(), run.verdict.outcome) > 0;
}

// A run without a verdict shows no difference in behavior.
Agreement agreement_of(const Group* own, const Group* real) {
  if (real == nullptr || judged(*real) == 0) return Agreement::only_own;
  if (own == nullptr || judged(*own) == 0) return Agreement::only_real;
  if (ends_of(*own) == ends_of(*real)) return Agreement::same;
  const bool all_accepted = std::all_of(real->runs.begin(), real->runs.end(), [](const Run* run) {
    return run->status == Status::judged && accepts(*run);
  });
  return all_accepted ? Agreement::declared : Agreement::undeclared;
}

const Group* find_like(const std::vector<Group>& groups, const Group& like) {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
    return group.name == like.name && group.ranks == like.ranks;
  });
  return found == groups.end() ? nullptr : &*found;
}

ParityRow row_of(const Group* own, const Group* real) {
  const Group& any = own != nullptr ? *own : *real;
  return {.name = any.name,
          .ranks = any.ranks,
          .own = ending_of(own),
          .real = ending_of(real),
          .agreement = agreement_of(own, real)};
}

}  // namespace

std::string side_of(const Context& context) {
  if (context.backend == "cuda") return "cuda";
  return context.nccl_origin == "source" ? "NCCL " + context.nccl : "own NCCL";
}

std::vector<ParityRow> parity(const Results& own, const Results& real) {
  const std::vector<Group> of_own = groups_of(own.runs);
  const std::vector<Group> of_real = groups_of(real.runs);
  std::vector<ParityRow> rows;
  rows.reserve(of_own.size());
  for (const Group& group : of_own) rows.push_back(row_of(&group, find_like(of_real, group)));
  for (const Group& group : of_real) {
    if (find_like(of_own, group) == nullptr) rows.push_back(row_of(nullptr, &group));
  }
  return rows;
}

ParitySummary summarise(const std::vector<ParityRow>& rows) {
  ParitySummary summary;
  for (const ParityRow& row : rows) {
    switch (row.agreement) {
      case Agreement::same:
        ++summary.same;
        break;
      case Agreement::declared:
        ++summary.declared;
        break;
      case Agreement::undeclared:
        ++summary.undeclared;
        break;
      case Agreement::only_own:
      case Agreement::only_real:
        ++summary.only_one;
        break;
    }
  }
  return summary;
}

}  // namespace gridlock::report
