// The reports of an acceptance.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <pugixml.hpp>

#include "harness/accept/formats/json.h"
#include "harness/accept/formats/sheet.h"
#include "harness/accept/formats/text.h"
#include "harness/base/error.h"
#include "tests/harness/accept/formats/sample.h"

namespace gridlock::accept {
namespace {

TEST(AcceptanceJson, HoldsAnswerCulpritsAndAdvice) {
  const auto json = nlohmann::json::parse(to_json(sample()));
  EXPECT_EQ(json.at("schema"), "gridlock.acceptance/1");
  EXPECT_EQ(json.at("answer"), "fail");
  EXPECT_EQ(json.at("exit_code"), 1);
  const auto check = json.at("checks").at(1);
  EXPECT_EQ(check.at("id"), "pair/1MiB@2");
  EXPECT_EQ(check.at("answer"), "fail");
  EXPECT_EQ(check.at("culprits").at(0).at("rank"), 1);
  EXPECT_EQ(check.at("culprits").at(0).at("gpu").at("uuid"), "GPU-1");
  EXPECT_TRUE(check.at("culprits").at(0).at("gpu").at("serial").is_null());
  EXPECT_EQ(check.at("figure").at("floor"), 90);
  EXPECT_FALSE(check.at("advice").is_null());
  EXPECT_EQ(json.at("checks").at(2).at("counts"), false);
  EXPECT_EQ(json.at("summary").at("excused"), 1);
  EXPECT_EQ(json.at("summary").at("skipped"), 1);
}

TEST(AcceptanceJson, IsReadBackWhole) {
  const std::string text = to_json(sample());
  const Acceptance again = acceptance_from_json(text, "f");
  EXPECT_EQ(to_json(again), text);
}

TEST(AcceptanceJson, DamageIsSaid) {
  for (const char* bad : {"", "{}", "[]", R"({"schema":"gridlock.results/1"})"}) {
    EXPECT_THROW(acceptance_from_json(bad, "f"), UsageError) << bad;
  }
}

TEST(AcceptanceJunit, CountsWhatItHolds) {
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(to_junit(sample()).c_str()));
  const auto suite = document.child("testsuites").child("testsuite");
  EXPECT_EQ(suite.attribute("tests").as_int(), 5);
  EXPECT_EQ(suite.attribute("failures").as_int(), 2);  // a fail, and one that stays open
  EXPECT_EQ(suite.attribute("skipped").as_int(), 2);
  int failures = 0;
  for (const auto& test : suite.children("testcase")) {
    failures += test.child("failure").empty() ? 0 : 1;
  }
  EXPECT_EQ(failures, 2);
}

TEST(AcceptanceMarkdown, ShowsWhatDidNotPass) {
  const std::string text = to_markdown(sample());
  EXPECT_EQ(text.find("# Acceptance: fail"), 0U);
  EXPECT_NE(text.find("### `pair/1MiB@2`: fail"), std::string::npos);
  EXPECT_NE(text.find("- To blame: rank 1 on node-a, H200, uuid GPU-1, serial not known"),
            std::string::npos);
  EXPECT_NE(text.find("known (until 2027-01-31)"), std::string::npos);
  EXPECT_EQ(text.find("### `lessons/third@4`"), std::string::npos);
}

TEST(AcceptanceSheet, HasARowForEachCheckAndShowsWhatDidNotPass) {
  const report::Sheet sheet = sheet_of(sample());
  EXPECT_EQ(sheet.answer, "fail");
  EXPECT_EQ(sheet.tone, report::Tone::bad);
  ASSERT_EQ(sheet.rows.size(), 5U);
  EXPECT_EQ(sheet.rows[0].tone, report::Tone::good);
  EXPECT_EQ(sheet.rows[1].tone, report::Tone::bad);
  EXPECT_EQ(sheet.rows[2].answer, "fail (waived)");
  EXPECT_EQ(sheet.rows[2].tone, report::Tone::quiet);
  EXPECT_EQ(sheet.rows[3].answer, "skipped");
  EXPECT_EQ(sheet.rows[4].tone, report::Tone::open);
  for (const report::SheetRow& row : sheet.rows) {
    EXPECT_EQ(row.cells.size(), sheet.columns.size());
  }
  ASSERT_EQ(sheet.findings.size(), 2U);  // what failed, and what was left open
  EXPECT_EQ(sheet.findings[0].name, "pair/1MiB@2");
  EXPECT_EQ(sheet.findings[0].culprits.size(), 1U);
  EXPECT_FALSE(sheet.findings[0].advice.empty());
  EXPECT_EQ(sheet.findings[1].name, "lessons/open@4");
}

TEST(AcceptanceText, EndsWithTheAnswer) {
  const std::string text = to_text(sample());
  EXPECT_TRUE(text.ends_with("Answer: FAIL\n")) << text;
  EXPECT_NE(text.find("  to do: "), std::string::npos);
}

TEST(AcceptanceText, SimulatedFiguresAreSaidToBe) {
  Acceptance acceptance = sample();
  acceptance.context.backend = "sim";
  for (const std::string& text :
       {to_text(acceptance), to_markdown(acceptance), to_json(acceptance)}) {
    EXPECT_NE(text.find("say nothing about any GPU"), std::string::npos);
  }
  EXPECT_EQ(caution(sample()), "");
}

TEST(AcceptanceText, AnExcuseThatIsNotNeededIsSaid) {
  Check check = scenario_check();
  check.excuse = Excuse{.kind = Excuse::Kind::expected, .why = "ticket OPS-1"};
  const Facts facts{.host = "h", .backend = "sim", .gpu = "", .gpus = {}, .baseline = {}};
  EXPECT_NE(result_line(judge(check, {good_run()}, facts)).find("remove the excuse"),
            std::string::npos);
}

TEST(Baselines, AreReadBack) {
  Baseline baseline{.date = "d",
                    .host = "h",
                    .backend = "sim",
                    .gpu = "",
                    .nccl = "",
                    .commit = "c",
                    .figures = {}};
  baseline.figures["copy/1MiB@4"] = *report::spread({1, 2, 3});
  const Baseline again = baseline_from_json(to_json(baseline), "f");
  EXPECT_EQ(again.host, "h");
  EXPECT_DOUBLE_EQ(again.figures.at("copy/1MiB@4").median, 2);
  for (const char* bad : {"", "{}", R"({"schema":"other"})"}) {
    EXPECT_THROW(baseline_from_json(bad, "f"), UsageError) << bad;
  }
}

}  // namespace
}  // namespace gridlock::accept
