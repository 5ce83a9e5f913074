// Lays groups of runs side by side.
#include "harness/report/figures/parity.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/base/text.h"
#include "harness/report/figures/groups.h"
#include "harness/report/formats/text.h"

namespace gridlock::report {
namespace {

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

// How the group's runs ended, each way once.
std::set<std::string> ends_of(const Group& group) {
  std::set<std::string> ends;
  for (const Run* run : group.runs) ends.insert(end_of(*run));
  return ends;
}

std::string text_of(const std::set<std::string>& ends) {
  std::string text;
  for (const std::string& end : ends) text += (text.empty() ? "" : " or ") + end;
  return text;
}

std::string detect_ms(const Group& group) {
  const auto times = spread_of(group, &Run::time_to_detect_ms);
  return times ? fmt::format("{:.2f}", times->median) : "-";
}

bool accepts(const Run& run) {
  return run.as_declared &&
         std::count(run.expected.begin(), run.expected.end(), run.verdict.outcome) > 0;
}

// What a run that has no verdict says is no difference in behaviour.
Agreement agreement_of(const Group& sim, const Group& cuda) {
  if (judged(cuda) == 0) return Agreement::only_sim;
  if (judged(sim) == 0) return Agreement::only_cuda;
  if (ends_of(sim) == ends_of(cuda)) return Agreement::same;
  const bool all_accepted = std::all_of(cuda.runs.begin(), cuda.runs.end(), [](const Run* run) {
    return run->status == Status::judged && accepts(*run);
  });
  return all_accepted ? Agreement::declared : Agreement::undeclared;
}

const Group* find(const std::vector<Group>& groups, const Group& like) {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
    return group.name == like.name && group.ranks == like.ranks;
  });
  return found == groups.end() ? nullptr : &*found;
}

ParityRow row_of(const Group* sim, const Group* cuda) {
  const Group& any = sim != nullptr ? *sim : *cuda;
  ParityRow row{.name = any.name,
                .ranks = any.ranks,
                .sim = sim == nullptr ? "not run" : text_of(ends_of(*sim)),
                .cuda = cuda == nullptr ? "not run" : text_of(ends_of(*cuda)),
                .sim_ms = sim == nullptr ? "-" : detect_ms(*sim),
                .cuda_ms = cuda == nullptr ? "-" : detect_ms(*cuda)};
  row.agreement = sim == nullptr    ? Agreement::only_cuda
                  : cuda == nullptr ? Agreement::only_sim
                                    : agreement_of(*sim, *cuda);
  return row;
}

std::string_view word(Agreement agreement) {
  switch (agreement) {
    case Agreement::declared:
      return "declared";
    case Agreement::undeclared:
      return "NOT DECLARED";
    case Agreement::only_sim:
      return "only sim";
    case Agreement::only_cuda:
      return "only cuda";
    case Agreement::same:
      break;
  }
  return "same";
}

}  // namespace

std::vector<ParityRow> parity(const Results& sim, const Results& cuda) {
  const std::vector<Group> simulated = groups_of(sim.runs);
  const std::vector<Group> real = groups_of(cuda.runs);
  std::vector<ParityRow> rows;
  rows.reserve(simulated.size());
  for (const Group& group : simulated) rows.push_back(row_of(&group, find(real, group)));
  for (const Group& group : real) {
    if (find(simulated, group) == nullptr) rows.push_back(row_of(nullptr, &group));
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
      case Agreement::only_sim:
      case Agreement::only_cuda:
        ++summary.only_one;
        break;
    }
  }
  return summary;
}

std::string parity_text(const std::vector<ParityRow>& rows) {
  std::vector<std::vector<std::string>> cells{
      {"variant", "ranks", "parity", "sim", "detect ms", "cuda", "detect ms"}};
  for (const ParityRow& row : rows) {
    cells.push_back({row.name, std::to_string(row.ranks), std::string(word(row.agreement)), row.sim,
                     row.sim_ms, row.cuda, row.cuda_ms});
  }
  std::vector<std::size_t> widths(cells.front().size());
  for (const auto& row : cells) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string text;
  for (const auto& row : cells) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += padded(row[i], widths[i] + 2);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  const ParitySummary sums = summarise(rows);
  return text + fmt::format(
                    "{} alike, {} differ as declared, {} differ undeclared, {} on one back "
                    "end only\n",
                    sums.same, sums.declared, sums.undeclared, sums.only_one);
}

}  // namespace gridlock::report
