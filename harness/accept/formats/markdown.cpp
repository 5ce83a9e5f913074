// Writes acceptance.md, one page.
#include "harness/report/formats/markdown.h"

#include <fmt/format.h>

#include "harness/accept/formats/text.h"

namespace gridlock::accept {
namespace {

// The page shows this many of the checks that did not pass in full.
constexpr int kMostShown = 6;

// Bold where a reader must look.
std::string marked(const Result& result) {
  const std::string answer = answer_text(result);
  const bool is_bad = result.was_run && !is_excused(result) && result.answer != Answer::pass;
  return is_bad ? fmt::format("**{}**", answer) : answer;
}

std::string section(const Result& result) {
  std::string text =
      fmt::format("### `{}`: {}\n\n{}.\n\n", result.id, to_string(result.answer), result.reason);
  for (const Culprit& culprit : result.culprits) {
    text += fmt::format("- To blame: {}\n", culprit_text(culprit));
  }
  if (!result.advice.empty()) text += fmt::format("- To do: {}\n", result.advice);
  if (!result.evidence.empty()) text += fmt::format("\n```\n{}```\n", result.evidence);
  return text + "\n";
}

}  // namespace

std::string to_markdown(const Acceptance& acceptance) {
  std::string text = fmt::format(
      "# Acceptance: {}\n\n`{}` ({}) on {}, {}, {}.\n\n{}.\n", to_string(answer_of(acceptance)),
      acceptance.profile, acceptance.summary, acceptance.context.host, acceptance.context.date,
      report::machine_text(acceptance.context), counts_text(acceptance));
  if (!acceptance.ended.empty()) text += fmt::format("\nNot finished: {}.\n", acceptance.ended);
  if (const std::string warning = caution(acceptance); !warning.empty()) {
    text += fmt::format("\n**{}**\n", warning);
  }
  int shown = 0;
  int left = 0;
  for (const Result& result : acceptance.results) {
    if (result.answer == Answer::pass || !result.was_run || is_excused(result)) continue;
    if (shown == 0) text += "\n## What did not pass\n\n";
    if (shown < kMostShown) text += section(result);
    shown < kMostShown ? ++shown : ++left;
  }
  if (left > 0) text += fmt::format("And {} more: acceptance.json has them all.\n", left);
  text += left_out(acceptance.results);
  text += "\n## All checks\n\n| check | answer | runs | found |\n|---|---|---|---|\n";
  for (const Result& result : acceptance.results) {
    // To stay on one page, checks that were neither needed nor run are only counted.
    if (!result.was_run && !result.needed) continue;
    const std::string excuse =
        result.excuse && is_excused(result) ? " [" + result.excuse->why + "]" : "";
    text += fmt::format("| `{}` | {} | {}/{} | {}{} |\n", result.id, marked(result), result.passed,
                        result.runs, report::cell(result.reason), report::cell(excuse));
  }
  return text;
}

}  // namespace gridlock::accept
