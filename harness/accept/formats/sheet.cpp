// What did not pass stands first and in full; every check has a row.
#include "harness/accept/formats/sheet.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/accept/formats/text.h"
#include "harness/base/error.h"
#include "harness/report/formats/json_values.h"
#include "harness/report/formats/text.h"

namespace gridlock::accept {
namespace {

using report::Tone;

Tone tone_of(Answer answer) {
  if (answer == Answer::pass) return Tone::good;
  return answer == Answer::inconclusive ? Tone::open : Tone::bad;
}

report::SheetRow row_of(const Result& result) {
  report::SheetRow row{.name = result.id, .answer = answer_text(result), .cells = {}};
  if (result.was_run) row.tone = is_excused(result) ? Tone::quiet : tone_of(result.answer);
  if (!result.was_run && result.needed) row.tone = Tone::open;
  std::string found = result.reason;
  if (result.excuse) found += fmt::format(" [{}]", result.excuse->why);
  row.cells = {fmt::format("{}/{}", result.passed, result.runs), std::move(found)};
  return row;
}

report::SheetFinding finding_of(const Result& result) {
  report::SheetFinding finding{.name = result.id,
                               .answer = answer_text(result),
                               .reason = result.reason,
                               .culprits = {},
                               .advice = result.advice,
                               .evidence = result.evidence};
  for (const Culprit& culprit : result.culprits) {
    finding.culprits.push_back(culprit_text(culprit));
  }
  return finding;
}

// One finding for each reason why needed checks did not run: many have the same.
void add_left_out(const std::vector<Result>& results, std::vector<report::SheetFinding>& findings) {
  for (const LeftOut& each : left_out_of(results)) {
    findings.push_back({.name = each.name,
                        .answer = "open",
                        .reason = each.reason,
                        .culprits = {},
                        .advice = each.advice,
                        .evidence = {}});
  }
}

}  // namespace

report::Sheet sheet_of(const Acceptance& acceptance) {
  const Answer answer = answer_of(acceptance);
  report::Sheet sheet{.title = "Acceptance: " + acceptance.profile,
                      .answer = std::string(to_string(answer)),
                      .tone = tone_of(answer),
                      .sentences = {acceptance.summary},
                      .caution = caution(acceptance),
                      .findings = {},
                      .row_title = "Check",
                      .columns = {"Runs", "Found"},
                      .rows = {}};
  sheet.sentences.push_back(counts_text(acceptance));
  if (!acceptance.ended.empty()) sheet.sentences.push_back("Not finished: " + acceptance.ended);
  for (const Result& result : acceptance.results) {
    if (result.answer != Answer::pass && result.was_run && !is_excused(result)) {
      sheet.findings.push_back(finding_of(result));
    }
    sheet.rows.push_back(row_of(result));
  }
  add_left_out(acceptance.results, sheet.findings);
  return sheet;
}

SoakSheet soak_sheet(const std::string& json, const std::string& file) {
  using Parsed = nlohmann::json;
  try {
    const Parsed all = Parsed::parse(json);
    if (all.at("schema") != "gridlock.soak/2")
      throw UsageError("its schema is not gridlock.soak/2");
    SoakSheet soak{.context = report::context_from_json(all.at("context")), .sheet = {}};
    report::Sheet& sheet = soak.sheet;
    sheet.title = "Soak";
    sheet.row_title = "Variant";
    sheet.columns = {"Runs", "As declared", "False alarms", "Others", "In error", "Step, µs"};
    sheet.sentences = all.at("summary").get<std::vector<std::string>>();
    for (const auto& [name, counts] : all.at("variants").items()) {
      report::SheetRow row{.name = name, .answer = {}, .cells = {}};
      const bool is_good =
          counts.at("as_declared") == counts.at("runs") && counts.at("errors") == 0;
      row.answer = is_good ? "as declared" : "differs";
      row.tone = is_good ? Tone::good : Tone::bad;
      for (const char* key : {"runs", "as_declared", "false_alarms", "others", "errors"}) {
        row.cells.push_back(std::to_string(counts.at(key).get<long>()));
      }
      const auto step = report::spread_from_json(counts.at("step_us"));
      row.cells.push_back(step ? report::to_text(step) : "");
      sheet.rows.push_back(std::move(row));
    }
    const auto bad = std::count_if(sheet.rows.begin(), sheet.rows.end(),
                                   [](const auto& row) { return row.tone == Tone::bad; });
    sheet.tone = sheet.rows.empty() ? Tone::open : bad == 0 ? Tone::good : Tone::bad;
    sheet.answer = sheet.rows.empty() ? "nothing ran"
                   : bad == 0         ? "all as declared"
                              : fmt::format("{} of {} variants differ", bad, sheet.rows.size());
    for (const Parsed& odd : all.at("odd")) {
      sheet.findings.push_back({.name = {},
                                .answer = {},
                                .reason = {},
                                .culprits = {},
                                .advice = {},
                                .evidence = odd.get<std::string>()});
    }
    return soak;
  } catch (const Parsed::exception& error) {
    throw UsageError(fmt::format("{} is not a soak: {}", file, error.what()));
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{} is not a soak: {}", file, error.what()));
  }
}

}  // namespace gridlock::accept
