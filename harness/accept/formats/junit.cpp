// A suite for the profile, a case for each check.
#include <fmt/format.h>

#include <pugixml.hpp>
#include <sstream>

#include "harness/accept/formats/text.h"
#include "harness/base/text.h"

namespace gridlock::accept {
namespace {

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
  test.append_attribute("classname") =
      fmt::format("{}.{}", profile, to_string(result.kind)).c_str();
  test.append_attribute("name") = printable(result.id).c_str();
  const char* element = element_of(result);
  if (element == nullptr) return;
  pugi::xml_node child = test.append_child(element);
  const std::string excuse = is_excused(result) ? " [" + result.excuse->why + "]" : "";
  child.append_attribute("message") = printable(result.reason + excuse).c_str();
  child.append_attribute("type") = std::string(to_string(result.answer)).c_str();
  if (const std::string body = body_of(result); !body.empty()) {
    child.text() = printable(body).c_str();
  }
}

}  // namespace

std::string to_junit(const Acceptance& acceptance) {
  const Counts counts = count(acceptance.results);
  pugi::xml_document document;
  pugi::xml_node suite = document.append_child("testsuites").append_child("testsuite");
  suite.append_attribute("name") = printable(acceptance.profile).c_str();
  suite.append_attribute("hostname") = acceptance.context.host.c_str();
  suite.append_attribute("timestamp") = acceptance.context.date.c_str();
  suite.append_attribute("time") = fmt::format("{:.3f}", acceptance.seconds).c_str();
  suite.append_attribute("tests") = acceptance.results.size();
  suite.append_attribute("failures") = counts.fail + counts.inconclusive;
  suite.append_attribute("errors") = counts.infrastructure;
  suite.append_attribute("skipped") = counts.excused + counts.skipped;
  for (const Result& result : acceptance.results) add_case(suite, result, acceptance.profile);
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

}  // namespace gridlock::accept
