// A heading for each scenario, a row for each variant, and notes if something is wrong.
#include "harness/report/formats/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "harness/report/figures/costs.h"
#include "harness/report/figures/detection.h"
#include "harness/report/figures/groups.h"
#include "harness/report/figures/scaling.h"
#include "harness/report/formats/text.h"

namespace gridlock::report {
namespace {

constexpr std::size_t kColumns = 8;
constexpr std::size_t kTexts = 2;  // columns of text, which come first and are left-aligned
using Cells = std::array<std::string, kColumns>;

constexpr const char* kLegend =
    "! broken  ~ remedy  + fix  = control; times in ms, step in us, cost: step over the control's";
const Cells kHeads{"variant", "verdict", "n", "hang", "detect", "recover", "step", "cost"};

char mark_of(const std::string& role) {
  if (role == "broken") return '!';
  if (role == "remedy") return '~';
  if (role == "fix") return '+';
  return role == "control" ? '=' : ' ';
}

// Times are not precise enough for more than three digits: "0.34", "29.2", "1006".
std::string median_of(const Group& group, std::optional<double> Run::*figure) {
  const auto values = spread_of(group, figure);
  return values ? three_digits(values->median) : "-";
}

bool is_watch(const Group& group) { return group.runs.front()->expected.empty(); }

// "5" if all runs were as declared, otherwise "3/5".
std::string count_text(const Group& group) {
  const int all = judged(group);
  if (all == 0) return "-";
  return is_watch(group) || as_declared(group) == all
             ? std::to_string(all)
             : fmt::format("{}/{}", as_declared(group), all);
}

Cells cells_of(const Group& group) {
  const Run& run = *group.runs.front();
  const std::string cost = spread_of(group, &Run::fix_cost)
                               ? fmt::format("{:.2f}", spread_of(group, &Run::fix_cost)->median)
                               : "-";
  return {run.variant.empty() ? "" : fmt::format("  {} {}", mark_of(run.role), run.variant),
          verdicts(group).front().text,
          count_text(group),
          median_of(group, &Run::time_to_hang_ms),
          median_of(group, &Run::time_to_detect_ms),
          median_of(group, &Run::time_to_recover_ms),
          median_of(group, &Run::step_time_us),
          cost};
}

std::string note(const std::string& text) {
  constexpr std::size_t kIndent = 6;
  return std::string(kIndent, ' ') + wrapped(text, kReportColumns, kIndent);
}

// Rare facts that the row has no room for.
std::string notes_of(const Group& group) {
  std::string text;
  const int all = judged(group);
  const int wrong = is_watch(group) ? 0 : all - as_declared(group);
  if (wrong > 0) {
    text += note(fmt::format("NOT AS DECLARED in {} of {} {}: score {} of {}, {} wrongly accused",
                             wrong, all, all == 1 ? "run" : "runs", worst_score(group).value_or(0),
                             kFullScore, worst_noise(group).value_or(0)));
  }
  if (verdicts(group).size() > 1) text += note(verdicts_text(group));
  return text;
}

// "uneven_batches, 4 ranks"; for a watch, the program.
std::string heading_of(const Group& group) {
  return fmt::format("{}, {} {}", group.runs.front()->scenario, group.ranks,
                     group.ranks == 1 ? "rank" : "ranks");
}

struct Row {
  std::string heading;  // a separate line before the row; "": none
  Cells cells;
  std::string notes;  // lines behind the row
};

std::vector<Row> rows_of(const std::vector<Run>& runs) {
  std::vector<Row> rows;
  std::string previous;
  for (const Group& group : groups_of(runs)) {
    const std::string heading = heading_of(group);
    rows.push_back({.heading = heading == previous ? "" : heading,
                    .cells = cells_of(group),
                    .notes = notes_of(group)});
    previous = heading;
  }
  return rows;
}

class Layout {
 public:
  explicit Layout(const std::vector<Row>& rows) {
    measure(kHeads);
    for (const Row& row : rows) measure(row.cells);
    const std::size_t wide = std::accumulate(widths_.begin(), widths_.end(), std::size_t{0});
    gap_ = wide + (kColumns - 1) * 2 <= kReportColumns ? 2 : 1;
    const std::size_t all = wide + (kColumns - 1) * gap_;
    // If the other columns leave too little room for a name, the name gets its own line.
    if (all > kReportColumns) widths_[0] -= std::min(widths_[0], all - kReportColumns);
  }

  std::string line(const Cells& cells) const {
    std::string text;
    for (std::size_t i = 0; i < kColumns; ++i) {
      if (i > 0) text += std::string(gap_, ' ');
      if (i == 0 && width(cells[i]) > widths_[i]) {
        text = cells[i] + "\n" + std::string(widths_[i], ' ');
      } else {
        text += i < kTexts ? padded(cells[i], widths_[i]) : padded_left(cells[i], widths_[i]);
      }
    }
    return text + "\n";
  }

 private:
  void measure(const Cells& cells) {
    for (std::size_t i = 0; i < kColumns; ++i) widths_[i] = std::max(widths_[i], width(cells[i]));
  }

  std::array<std::size_t, kColumns> widths_{};
  std::size_t gap_ = 2;
};

}  // namespace

std::string summary_text(const Summary& summary) {
  return fmt::format(
      "{} {}: {} as declared, {} skipped, {} in error; full score {}, noise {}\n"
      "true positives {}, true negatives {}, false positives {}, false negatives {}\n",
      summary.runs, summary.runs == 1 ? "run" : "runs", summary.as_declared, summary.skipped,
      summary.errors, summary.full_score, summary.noise, summary.true_positive,
      summary.true_negative, summary.false_positive, summary.false_negative);
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
  const std::vector<Row> rows = rows_of(results.runs);
  const Layout layout(rows);
  std::string text = fmt::format("{}\n", kLegend) + layout.line(kHeads);
  for (const Row& row : rows) {
    if (!row.heading.empty()) text += row.heading + "\n";
    text += layout.line(row.cells) + row.notes;
  }
  text += cost_text(costs_of(results.runs)) + scaling_text(results);
  for (const std::string& line : {detection_text(results.runs), agents_text(results.context)}) {
    if (!line.empty()) text += wrapped(line, kReportColumns);
  }
  return text + summary_text(summarise(results.runs));
}

}  // namespace gridlock::report
