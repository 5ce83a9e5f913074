// One suite per scenario, one case per run.
#include "harness/report/formats/junit.h"

#include <fmt/format.h>

#include <map>
#include <pugixml.hpp>
#include <sstream>

#include "harness/base/text.h"
#include "harness/detect/words/verdict_text.h"
#include "harness/report/figures/differing.h"

namespace gridlock::report {
namespace {

void add_child(pugi::xml_node& to, const char* kind, const std::string& message,
               const std::string& body) {
  pugi::xml_node child = to.append_child(kind);
  child.append_attribute("message") = printable(message).c_str();
  if (!body.empty()) child.text() = printable(body).c_str();
}

void add_case(pugi::xml_node& suite, const Run& run) {
  pugi::xml_node test = suite.append_child("testcase");
  test.append_attribute("classname") = printable(run.scenario).c_str();
  test.append_attribute("name") =
      printable(fmt::format("{}[ranks={},repetition={}]", run.variant, run.ranks, run.repetition))
          .c_str();
  const double milliseconds = run.time_to_hang_ms.value_or(0) + run.time_to_detect_ms.value_or(0) +
                              run.time_to_recover_ms.value_or(0);
  test.append_attribute("time") = fmt::format("{:.6f}", milliseconds / 1e3).c_str();
  if (run.status == Status::skipped) {
    add_child(test, "skipped", run.reason, "");
  } else if (run.status == Status::error) {
    add_child(test, "error", run.reason, "");
  } else if (!run.as_declared) {
    add_child(test, "failure",
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
    suite.append_attribute("name") = printable(scenario).c_str();
    suite.append_attribute("hostname") = results.context.host.c_str();
    suite.append_attribute("timestamp") = results.context.date.c_str();
    count(suite, runs);
    for (const Run* run : runs) add_case(suite, *run);
  }
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

}  // namespace gridlock::report
