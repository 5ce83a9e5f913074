// One suite for each scenario, one case for each run.
#include "harness/report/formats/junit.h"

#include <fmt/format.h>

#include <map>

#include "harness/base/text.h"
#include "harness/detect/words/verdict_text.h"
#include "harness/report/figures/differing.h"
#include "harness/report/formats/xml.h"

namespace gridlock::report {
namespace {

void add_case(pugi::xml_node& suite, const Run& run) {
  pugi::xml_node test = suite.append_child("testcase");
  set(test, "classname", run.scenario);
  set(test, "name",
      fmt::format("{}[ranks={},repetition={}]", run.variant, run.ranks, run.repetition));
  const double milliseconds = run.time_to_hang_ms.value_or(0) + run.time_to_detect_ms.value_or(0) +
                              run.time_to_recover_ms.value_or(0);
  set(test, "time", fmt::format("{:.6f}", milliseconds / 1e3));
  if (run.status == Status::skipped) {
    add_reason(test, "skipped", run.reason, "");
  } else if (run.status == Status::error) {
    add_reason(test, "error", run.reason, "");
  } else if (!run.as_declared) {
    add_reason(test, "failure",
               fmt::format("declared: {}; found: {}", declared_text(run), headline(run.verdict)),
               verdict_text(run.verdict));
  }
}

void count(pugi::xml_node& suite, const std::vector<const Run*>& runs) {
  int failures = 0;
  int errors = 0;
  int skipped = 0;
  for (const Run* run : runs) {
    if (run->status == Status::skipped) ++skipped;
    if (run->status == Status::error) ++errors;
    if (run->status == Status::judged && !run->as_declared) ++failures;
  }
  suite.append_attribute("tests") = runs.size();
  suite.append_attribute("failures") = failures;
  suite.append_attribute("errors") = errors;
  suite.append_attribute("skipped") = skipped;
}

}  // namespace

std::string to_junit(const Results& results) {
  std::map<std::string, std::vector<const Run*>> by_scenario;
  for (const Run& run : results.runs) by_scenario[run.scenario].push_back(&run);
  pugi::xml_document document;
  pugi::xml_node suites = document.append_child("testsuites");
  for (const auto& [scenario, runs] : by_scenario) {
    pugi::xml_node suite = suites.append_child("testsuite");
    set(suite, "name", scenario);
    set(suite, "hostname", results.context.host);
    set(suite, "timestamp", results.context.date);
    count(suite, runs);
    for (const Run* run : runs) add_case(suite, *run);
  }
  return text_of(document);
}

}  // namespace gridlock::report
