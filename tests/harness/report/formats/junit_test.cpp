// JUnit XML: what passes, fails, errs and is skipped.
#include "harness/report/formats/junit.h"

#include <gtest/gtest.h>

#include <pugixml.hpp>

#include "tests/harness/report/results.h"

namespace gridlock::report {
namespace {

pugi::xml_node test_case(const pugi::xml_document& document, const char* name) {
  for (const pugi::xml_node& test : document.first_child().first_child().children("testcase")) {
    if (std::string(test.attribute("name").value()).find(name) == 0) return test;
  }
  return {};
}

TEST(JUnit, ADeclaredHangPassesAndAWrongVerdictFails) {
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(to_junit(session()).c_str()));
  EXPECT_TRUE(test_case(document, "peers_leave").first_child().empty());
  EXPECT_STREQ(test_case(document, "padding").first_child().name(), "failure");
  EXPECT_STREQ(test_case(document, "join").first_child().name(), "error");
  const pugi::xml_node skip = test_case(document, "needs_three").first_child();
  EXPECT_STREQ(skip.name(), "skipped");
  EXPECT_STREQ(skip.attribute("message").value(), "needs at least 3 ranks");
}

TEST(JUnit, CountsAddUp) {
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(to_junit(session()).c_str()));
  const pugi::xml_node suite = document.first_child().first_child();
  EXPECT_EQ(suite.attribute("tests").as_int(), 6);
  EXPECT_EQ(suite.attribute("failures").as_int(), 1);
  EXPECT_EQ(suite.attribute("errors").as_int(), 1);
  EXPECT_EQ(suite.attribute("skipped").as_int(), 1);
}

TEST(JUnit, IsXmlWhateverATextHolds) {
  Results results = session();
  results.runs.back().reason = "<&\"> \x01\x1b[31m";
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(to_junit(results).c_str()));
}

}  // namespace
}  // namespace gridlock::report
