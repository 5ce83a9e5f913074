// Writes JUnit XML: one suite for the profile, one case for each check.
#include <fmt/format.h>

#include "harness/accept/formats/text.h"
#include "harness/report/formats/xml.h"

namespace gridlock::accept {
namespace {

using report::set;

const char* element_of(const Result& result) {
  if (is_excused(result) || (!result.was_run && !result.needed)) return "skipped";
  switch (result.answer) {
    case Answer::pass:
      return nullptr;
    case Answer::infrastructure:
      return "error";
    default:
      return "failure";
  }
}

std::string body_of(const Result& result) {
  std::string text = result.evidence;
  for (const Culprit& culprit : result.culprits) text += culprit_text(culprit) + "\n";
  return text + result.advice;
}

void add_case(pugi::xml_node& suite, const Result& result, const std::string& profile) {
  pugi::xml_node test = suite.append_child("testcase");
  set(test, "classname", fmt::format("{}.{}", profile, to_string(result.kind)));
  set(test, "name", result.id);
  const char* element = element_of(result);
  if (element == nullptr) return;
  const std::string excuse = is_excused(result) ? " [" + result.excuse->why + "]" : "";
  pugi::xml_node child = report::add_reason(test, element, result.reason + excuse, body_of(result));
  set(child, "type", std::string(to_string(result.answer)));
}

}  // namespace

std::string to_junit(const Acceptance& acceptance) {
  const Counts counts = count(acceptance.results);
  pugi::xml_document document;
  pugi::xml_node suite = document.append_child("testsuites").append_child("testsuite");
  set(suite, "name", acceptance.profile);
  set(suite, "hostname", acceptance.context.host);
  set(suite, "timestamp", acceptance.context.date);
  set(suite, "time", fmt::format("{:.3f}", acceptance.seconds));
  suite.append_attribute("tests") = acceptance.results.size();
  suite.append_attribute("failures") = counts.fail + counts.inconclusive;
  suite.append_attribute("errors") = counts.infrastructure;
  suite.append_attribute("skipped") = counts.excused + counts.skipped;
  for (const Result& result : acceptance.results) add_case(suite, result, acceptance.profile);
  return report::text_of(document);
}

}  // namespace gridlock::accept
