// scenarios.json can be read back, and nothing else is accepted as one.
#include "harness/report/page/sources.h"

#include <gtest/gtest.h>

#include "harness/report/formats/json.h"

namespace gridlock::report {
namespace {

TEST(Sources, AreReadBack) {
  const std::vector<ScenarioText> written{{.name = "a",
                                           .summary = "s",
                                           .lesson = "l\n\"q\"",
                                           .source_file = "order/a.cpp",
                                           .source = "int x;\n",
                                           .claims = {"B1"},
                                           .variants = {{"v", "fix", "does"}}}};
  const auto read = scenarios_from_json(to_json(written));
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].lesson, "l\n\"q\"");
  EXPECT_EQ(read[0].source_file, "order/a.cpp");
  EXPECT_EQ(read[0].variants[0].summary, "does");
}

TEST(Sources, RefuseWhatIsNone) {
  for (const char* text : {"", "[]", "{}", "{\"schema\": \"gridlock.scenarios/1\"}",
                           "{\"schema\": \"gridlock.scenarios/2\", \"scenarios\": []}"}) {
    EXPECT_THROW(scenarios_from_json(text), BadResults) << text;
  }
}

}  // namespace
}  // namespace gridlock::report
