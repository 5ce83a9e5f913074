// Columns as wide as their widest cell.
#include "harness/report/formats/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/report/figures/costs.h"
#include "harness/report/figures/detection.h"
#include "harness/report/figures/groups.h"
#include "harness/report/figures/scaling.h"
#include "harness/report/formats/text.h"

namespace gridlock::report {
namespace {

using Row = std::vector<std::string>;

std::string median_of(const Group& group, std::optional<double> Run::*figure) {
  const auto values = spread_of(group, figure);
  return values ? fmt::format("{:.2f}", values->median) : "-";
}

std::string number(const std::optional<int>& value) { return value ? std::to_string(*value) : "-"; }

std::string scenario_of(const Group& group) { return group.runs.front()->scenario; }

Row row_of(const Group& group) {
  const Run& run = *group.runs.front();
  const bool is_watch = run.expected.empty();
  return {run.variant.empty() ? group.name : "  " + run.variant,
          group.role,
          std::to_string(group.ranks),
          verdicts_text(group),
          is_watch || judged(group) == 0 ? "-"
                                         : fmt::format("{}/{}", as_declared(group), judged(group)),
          number(worst_score(group)),
          number(worst_noise(group)),
          median_of(group, &Run::time_to_hang_ms),
          median_of(group, &Run::time_to_detect_ms),
          median_of(group, &Run::time_to_recover_ms),
          median_of(group, &Run::step_time_us),
          median_of(group, &Run::fix_cost)};
}

}  // namespace

std::string summary_text(const Summary& summary) {
  return fmt::format(
      "{} {}: {} as declared, {} skipped, {} in error; true positives {}, true negatives {}, "
      "false positives {}, false negatives {}; full score {}, noise {}\n",
      summary.runs, summary.runs == 1 ? "run" : "runs", summary.as_declared, summary.skipped,
      summary.errors, summary.true_positive, summary.true_negative, summary.false_positive,
      summary.false_negative, summary.full_score, summary.noise);
}

std::string agents_text(const Context& context) {
  if (context.agents.empty()) return {};
  std::string text;
  for (const Agent& agent : context.agents) {
    text += fmt::format("{}{} ({} {})", text.empty() ? "" : ", ", agent.host, agent.ranks,
                        agent.ranks == 1 ? "rank" : "ranks");
  }
  return fmt::format("{} agents: {}; times that cross them are right to within {:.0f} us\n",
                     context.agents.size(), text, context.clock_error_us.value_or(0));
}

std::string table(const Results& results) {
  std::vector<Row> rows{{"variant", "role", "ranks", "verdict", "declared", "score", "noise",
                         "hang ms", "detect ms", "recover ms", "step us", "cost"}};
  std::string previous;
  for (const Group& group : groups_of(results.runs)) {
    // Variants stand under their scenario, on a line of its own.
    if (!group.runs.front()->variant.empty() && scenario_of(group) != previous) {
      previous = scenario_of(group);
      rows.push_back({previous});
    }
    rows.push_back(row_of(group));
  }
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += padded(row[i], widths[i] + 2);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text + cost_text(costs_of(results.runs)) + scaling_text(results) +
         detection_text(results.runs) + agents_text(results.context) +
         summary_text(summarise(results.runs));
}

}  // namespace gridlock::report
