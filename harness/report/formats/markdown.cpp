// Tables and sections of report.md.
#include "harness/report/formats/markdown.h"

#include <fmt/format.h>

#include "harness/detect/words/verdict_text.h"
#include "harness/report/figures/costs.h"
#include "harness/report/figures/detection.h"
#include "harness/report/figures/groups.h"
#include "harness/report/figures/scaling.h"
#include "harness/report/formats/table.h"

namespace gridlock::report {
namespace {

std::string verdict_row(const Group& group) {
  return fmt::format("| `{}` | {} | {} | {} | {}/{} |\n", group.name, group.role, group.ranks,
                     verdicts_text(group), as_declared(group), judged(group));
}

std::string figure_row(const Group& group) {
  return fmt::format("| `{}` | {} | {} | {} | {} | {} | {} |\n", group.name, group.ranks,
                     to_text(spread_of(group, &Run::time_to_hang_ms)),
                     to_text(spread_of(group, &Run::time_to_detect_ms)),
                     to_text(spread_of(group, &Run::time_to_recover_ms)),
                     to_text(spread_of(group, &Run::step_time_us)),
                     to_text(spread_of(group, &Run::fix_cost)));
}

std::string cost_section(const std::vector<Cost>& costs) {
  if (!is_repeated(costs)) return {};
  std::string text =
      "\n## Cost of the cures\n\nStep time over that of the control: median, quartiles, "
      "extremes.\n\n"
      "| cure | control | ranks | cost | quartiles | least, greatest | n |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const Cost& cost : costs) {
    text += fmt::format("| `{}/{}` | {} | {} | ", cost.scenario, cost.variant,
                        cost.control.empty() ? "-" : cost.control, cost.ranks);
    text += cost.ratio ? fmt::format("{:.2f}x | {:.2f}-{:.2f} | {:.2f}, {:.2f} | {} |\n",
                                     cost.ratio->median, cost.ratio->lower, cost.ratio->upper,
                                     cost.ratio->least, cost.ratio->greatest, cost.ratio->count)
                       : fmt::format("not measured: {} | - | - | 0 |\n", cost.why_not);
  }
  text += "\n";
  for (const Cheapest& cheapest : cheapest_of(costs)) {
    text +=
        fmt::format("- `{}`, {} ranks: {}\n", cheapest.scenario, cheapest.ranks, to_text(cheapest));
  }
  return text;
}

// The figures that the detector is judged by.
std::string judgement_section(const std::vector<Run>& runs) {
  const Summary summary = summarise(runs);
  const Scores scores = scores_of(runs);
  std::string text = fmt::format(
      "\n## The detector\n\n| | judged bad | judged good |\n|---|---|---|\n"
      "| is bad | {} (true positives) | {} (false negatives) |\n"
      "| is good | {} (false positives) | {} (true negatives) |\n\n"
      "| score of the verdict | 5 | 4 | 3 | 2 | 1 | 0 | ranks wrongly accused |\n"
      "|---|---|---|---|---|---|---|---|\n| runs |",
      summary.true_positive, summary.false_negative, summary.false_positive, summary.true_negative);
  text +=
      fmt::format(" {} | {} |\n\n",
                  fmt::join(scores.verdicts.rbegin(), scores.verdicts.rend(), " | "), scores.noise);
  text +=
      "5: right outcome, cause, communicator and slot, ranks, call and label, and nobody else "
      "accused. 4: one of the last is wrong; and so down to 0: not even seen.\n";
  const std::string times = detection_text(runs);
  return times.empty() ? text : text + "\n" + times;
}

// The run that stands for its group: one with a wrong verdict if there is one.
const Run& example(const Group& group) {
  for (const Run* run : group.runs) {
    if (run->status == Status::judged && !run->as_declared) return *run;
  }
  return *group.runs.front();
}

std::string explanation(const Group& group) {
  const Run& run = example(group);
  if (run.status != Status::judged) {
    return fmt::format("### `{}`, {} ranks\n\n{}\n\n", group.name, group.ranks, run.reason);
  }
  if (run.verdict.outcome == detect::Outcome::completes) return {};
  return fmt::format("### `{}`, {} ranks\n\n```\n{}```\n\n", group.name, group.ranks,
                     verdict_text(run.verdict));
}

}  // namespace

std::string cell(std::string_view text) {
  std::string all;
  for (const char letter : text) {
    if (letter == '|') all.push_back('\\');
    all.push_back(letter == '\n' ? ' ' : letter);
  }
  return all;
}

std::string machine_text(const Context& context) {
  std::string text = fmt::format("back end {}", context.backend);
  if (context.nccl_origin == "source") text += fmt::format(" with NCCL {}", context.nccl);
  text += ", " + (context.cpu.empty() ? "unknown processor" : context.cpu);
  if (!context.gpu.empty()) text += fmt::format(", {}", context.gpu);
  if (context.shared_gpu) text += ", one GPU shared by all ranks: its times are no speed figures";
  if (!context.commit.empty()) {
    text += fmt::format(", commit {}{}", context.commit.substr(0, 12),
                        context.dirty.value_or(false) ? " with local changes" : "");
  }
  return text;
}

std::string to_markdown(const Results& results) {
  const std::vector<Group> groups = groups_of(results.runs);
  std::string text = fmt::format("# Gridlock report\n\n{} on {}: {}.\n\n{}\n", results.context.date,
                                 results.context.host, machine_text(results.context),
                                 summary_text(summarise(results.runs)));
  const std::string agents = agents_text(results.context);
  if (!agents.empty()) text += "\n" + agents;
  text += judgement_section(results.runs);
  text +=
      "\n## Verdicts\n\n| variant | role | ranks | verdict | as declared "
      "|\n|---|---|---|---|---|\n";
  for (const Group& group : groups) text += verdict_row(group);
  text +=
      "\n## Figures\n\nMedian (least-greatest, n = repetitions).\n\n"
      "| variant | ranks | to hang, ms | to detect, ms | to recover, ms | step, us | cost of the "
      "fix "
      "|\n|---|---|---|---|---|---|---|\n";
  for (const Group& group : groups) text += figure_row(group);
  text += cost_section(costs_of(results.runs));
  text += scaling_markdown(results);
  text += "\n## What was found\n\n";
  for (const Group& group : groups) text += explanation(group);
  return text;
}

}  // namespace gridlock::report
