// The page contains its data, but no foreign markup.
#include "harness/report/page/page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/harness/report/page/recorded.h"
#include "tests/harness/report/results.h"

namespace gridlock::report {
namespace {

using Json = nlohmann::json;

Json data_of(const std::string& html) {
  const std::string open = "id=\"data\">";
  const std::size_t begin = html.find(open) + open.size();
  return Json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

Page sample() {
  Page page;
  page.results.runs = {hang(), hang(1), healthy("join", "fix", 12)};
  page.scenarios.push_back({.name = "uneven_batches",
                            .summary = "one batch less",
                            .lesson = "Lesson    Count.",
                            .source_file = "batches/uneven_batches.cpp",
                            .source = "void join(Rank& rank) {}\n",
                            .claims = {"C3"},
                            .variants = {{.name = "join", .role = "fix", .summary = "joins"}}});
  page.timelines["uneven_batches/peers_leave"] = timeline_with(last_rank_short(), last_to_blame());
  page.outputs["uneven_batches/peers_leave"] = "[rank 3] bye\n";
  return page;
}

TEST(Page, HoldsARowForEachVariant) {
  const Json data = data_of(to_html(sample()));
  ASSERT_EQ(data["variants"].size(), 2U);
  const Json& hung = data["variants"][0];
  EXPECT_EQ(hung["id"], "uneven_batches/peers_leave");
  EXPECT_EQ(hung["runs"], 2);
  EXPECT_EQ(hung["strip"], (Json{{"deadlock", true, 2}}));
  EXPECT_EQ(hung["verdict"]["culprits"], Json{3});
  EXPECT_EQ(hung["timeline"]["ranks"].size(), 4U);
  EXPECT_EQ(hung["output"], "[rank 3] bye\n");
  EXPECT_EQ(data["scenarios"]["uneven_batches"]["file"], "batches/uneven_batches.cpp");
  EXPECT_EQ(data["summary"]["true_positive"], 2);
}

TEST(Page, TellsTheRunThatDiffers) {
  Page page = sample();
  page.results.runs[1].as_declared = false;
  page.results.runs[1].verdict.outcome = detect::Outcome::stall;
  const Json data = data_of(to_html(page));
  EXPECT_EQ(data["variants"][0]["repetition"], 1);
  EXPECT_EQ(data["variants"][0]["status"], "stall");
}

TEST(Page, NamesTheNumbersOfRanksWhereThereAreSeveral) {
  Page page = sample();
  page.results.runs[1].ranks = 8;
  const Json data = data_of(to_html(page));
  EXPECT_EQ(data["variants"][0]["id"], "uneven_batches/peers_leave@4");
  EXPECT_EQ(data["variants"][1]["id"], "uneven_batches/peers_leave@8");
}

TEST(Page, LoadsNothing) {
  const std::string html = to_html(sample());
  EXPECT_EQ(html.find("src="), std::string::npos);
  EXPECT_EQ(html.find("@import"), std::string::npos);
  EXPECT_EQ(html.find("fetch("), std::string::npos);
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(html.substr(0, 200).find(kPageMark), std::string::npos);
}

TEST(Page, NamesNeverBecomeMarkup) {
  const std::string evil = "</script><script>alert(1)</script><!--\"'&\x1b\xe2\x80\xae../../x\xff";
  Page page = sample();
  const std::size_t scripts = count_of(to_html(page), "<script");
  page.results.runs[0].scenario = evil;
  page.results.runs[0].variant = evil;
  page.results.runs[0].verdict.told = evil;
  page.results.runs[0].verdict.faults = {{.ranks = {3}, .what = detect::phrase::Said{evil}}};
  page.results.context.host = evil;
  page.scenarios[0].source = evil;
  page.outputs[evil + "/" + evil] = evil;
  page.timelines[evil + "/" + evil] =
      timeline_with(last_rank_short(4, 8, "</script><b>"), last_to_blame());
  page.missing = {evil};
  page.answer = Sheet{.title = evil,
                      .answer = evil,
                      .tone = Tone::bad,
                      .sentences = {evil},
                      .caution = evil,
                      .findings = {{.name = evil,
                                    .answer = evil,
                                    .reason = evil,
                                    .culprits = {evil},
                                    .advice = evil,
                                    .evidence = evil}},
                      .row_title = "Check",
                      .columns = {evil},
                      .rows = {{.name = evil, .answer = evil, .tone = Tone::bad, .cells = {evil}}}};
  for (const std::string& html : {to_html(page), to_book(page)}) {
    EXPECT_EQ(count_of(html, "<script"), scripts);
    EXPECT_EQ(html.find("alert(1)</"), std::string::npos);
    EXPECT_EQ(html.find('\x1b'), std::string::npos);
    EXPECT_NO_THROW(data_of(html));
  }
}

TEST(Page, OfNoRunsIsAPage) {
  EXPECT_EQ(data_of(to_html({}))["variants"].size(), 0U);
  EXPECT_EQ(data_of(to_book({}))["book"], true);
}

}  // namespace
}  // namespace gridlock::report
