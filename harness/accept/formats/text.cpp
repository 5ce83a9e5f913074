// Writes plans and results as lines for a terminal.
#include "harness/accept/formats/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "harness/accept/judge/advice.h"
#include "harness/report/formats/markdown.h"
#include "harness/report/formats/text.h"

namespace gridlock::accept {
namespace {

std::string_view mark(const Result& result) {
  if (is_excused(result)) return result.excuse->kind == Excuse::Kind::waived ? "waived" : "known";
  if (!result.was_run && !result.needed) return "skip";
  switch (result.answer) {
    case Answer::pass:
      return "pass";
    case Answer::fail:
      return "FAIL";
    case Answer::inconclusive:
      return "open";
    case Answer::infrastructure:
      break;
  }
  return "ERROR";
}

std::string indented(const std::string& text) {
  std::istringstream lines(text);
  std::string all;
  for (std::string line; std::getline(lines, line);) all += "    " + line + "\n";
  return all;
}

std::string details(const Result& result) {
  std::string text = "\n" + result_line(result) + indented(result.evidence);
  for (const Culprit& culprit : result.culprits) {
    text += fmt::format("  to blame: {}\n", culprit_text(culprit));
  }
  if (!result.advice.empty()) text += fmt::format("  to do: {}\n", result.advice);
  return text;
}

std::string repetitions(const Check& check, const Bounds& bounds) {
  if (check.kind == Kind::soak) {
    return fmt::format("{:.0f} s", static_cast<double>(check.soak.count()) / 1e9);
  }
  return bounds.until_fail > 0 ? fmt::format("until it fails, at most {}x", bounds.until_fail)
                               : fmt::format("{}x", check.repeat);
}

}  // namespace

std::string culprit_text(const Culprit& culprit) {
  std::string text = fmt::format("rank {} on {}", culprit.rank, culprit.host);
  if (!culprit.gpu) return text;
  if (!culprit.gpu->name.empty()) text += ", " + culprit.gpu->name;
  if (!culprit.gpu->uuid.empty()) text += ", uuid " + culprit.gpu->uuid;
  text += culprit.gpu->serial.empty() ? ", serial not known" : ", serial " + culprit.gpu->serial;
  return text;
}

std::string counts_text(const Acceptance& acceptance) {
  const Counts counts = count(acceptance.results);
  return fmt::format(
      "{} of {} checks in {:.1f} s: {} pass, {} fail, {} inconclusive, {} infrastructure, {} "
      "excused, {} skipped",
      acceptance.results.size(), acceptance.planned, acceptance.seconds, counts.pass, counts.fail,
      counts.inconclusive, counts.infrastructure, counts.excused, counts.skipped);
}

std::string answer_text(const Result& result) {
  if (is_excused(result)) {
    return fmt::format("{} ({})", to_string(result.answer),
                       result.excuse->kind == Excuse::Kind::waived ? "waived" : "expected");
  }
  if (!result.was_run) return result.needed ? "inconclusive (not run)" : "skipped";
  return std::string(to_string(result.answer));
}

std::vector<LeftOut> left_out_of(const std::vector<Result>& results) {
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  for (const Result& result : results) {
    if (result.was_run || !result.needed) continue;
    auto known = std::find_if(reasons.begin(), reasons.end(),
                              [&](const auto& one) { return one.first == result.reason; });
    if (known == reasons.end()) known = reasons.insert(reasons.end(), {result.reason, {}});
    known->second.push_back(result.id);
  }
  std::vector<LeftOut> all;
  for (const auto& [reason, ids] : reasons) {
    const std::string more = ids.size() == 1 ? "" : fmt::format(" and {} more", ids.size() - 1);
    all.push_back({.name = ids.front() + more, .reason = reason, .advice = advice_on_missing()});
  }
  return all;
}

std::string left_out(const std::vector<Result>& results) {
  std::string text;
  for (const LeftOut& each : left_out_of(results)) {
    text += fmt::format("\nopen   {}: {}\n  to do: {}\n", each.name, each.reason, each.advice);
  }
  return text;
}

std::string result_line(const Result& result) {
  std::string excuse;
  if (result.excuse && is_excused(result)) excuse = fmt::format(" [{}]", result.excuse->why);
  if (result.excuse && result.answer == Answer::pass) {
    excuse =
        fmt::format(" [passes although it is excused ({}): remove the excuse]", result.excuse->why);
  }
  return fmt::format("{:<6} {}: {}{}\n", mark(result), result.id, result.reason, excuse);
}

std::string to_text(const Acceptance& acceptance) {
  std::string text;
  for (const Result& result : acceptance.results) {
    if (result.was_run && result.answer != Answer::pass && !is_excused(result)) {
      text += details(result);
    }
  }
  text += left_out(acceptance.results);
  text += fmt::format("\n{}: {}; {}\n", acceptance.profile, counts_text(acceptance),
                      report::machine_text(acceptance.context));
  if (const std::string warning = caution(acceptance); !warning.empty()) text += warning + "\n";
  std::string answer(to_string(answer_of(acceptance)));
  std::transform(answer.begin(), answer.end(), answer.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::toupper(letter)); });
  return text + fmt::format("Answer: {}\n", answer);
}

std::string plan_text(const std::vector<Check>& checks, const Bounds& bounds) {
  std::size_t columns = 0;
  for (const Check& check : checks) columns = std::max(columns, check.id.size());
  std::string text;
  for (const Check& check : checks) {
    text += fmt::format("{}  {}  at most {:.0f} s  [{}]{}\n", report::padded(check.id, columns),
                        repetitions(check, bounds), static_cast<double>(check.limit.count()) / 1e9,
                        fmt::join(check.tags, ", "), check.needed ? "" : "  not needed");
    if (!check.cannot.empty()) text += fmt::format("    cannot run here: {}\n", check.cannot);
    if (check.excuse) text += fmt::format("    a failure does not count: {}\n", check.excuse->why);
  }
  return text + fmt::format("{} checks; nothing was run\n", checks.size());
}

}  // namespace gridlock::accept
