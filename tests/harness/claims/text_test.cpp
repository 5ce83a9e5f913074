// Answers as text, table and JSON.
#include "harness/claims/text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/report/formats/text.h"
#include "tests/harness/claims/sessions.h"

namespace gridlock::claims {
namespace {

// C6 as predicted, C5 not, the rest of the notes open.
report::Results session() {
  Sessions sessions;
  sessions.hangs("uneven_batches/peers_leave");
  sessions.completes("uneven_batches/drop_last");
  sessions.results().runs.back().figures["samples_lost"] = {3, 3, 3, 3};
  sessions.completes("empty_batch_return/return_before_forward");
  sessions.completes("empty_batch_return/zero_gradients");
  sessions.completes("empty_batch_return/skip_by_agreement");
  return sessions.results();
}

std::vector<Decided> decided(const report::Results& results, const std::vector<std::string>& ids) {
  std::vector<std::string> unknown;
  return decide(select(ids, unknown), results);
}

TEST(ClaimText, KeepsToTheWidth) {
  const report::Results results = session();
  for (const std::size_t columns : {60U, 80U, 200U}) {
    std::istringstream lines(to_text(decided(results, {}), columns));
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      EXPECT_LE(report::width(line), columns) << line;
    }
    EXPECT_GT(count, 100);
  }
}

TEST(ClaimText, SaysAnswerRunsAndAgreement) {
  const report::Results results = session();
  EXPECT_EQ(
      to_text(decided(results, {"C6"}), 100),
      "C6   confirmed (as predicted)\n"
      "     says   drop_last when the data does not divide evenly\n"
      "     found  at the price of 3 samples an epoch\n"
      "     runs   uneven_batches/peers_leave, 4 ranks: deadlock\n"
      "            uneven_batches/drop_last, 4 ranks: completes\n"
      "\n"
      "1 claim: 1 confirmed, 0 refuted, 0 with a condition, 0 needs a GPU, 0 undecided; 0 not "
      "as predicted\n");
  const std::string differing = to_text(decided(results, {"C5"}), 100);
  EXPECT_NE(differing.find("confirmed (DIFFERS: predicted refuted)"), std::string::npos);
}

TEST(ClaimMarkdown, IsARowForEachClaim) {
  const report::Results results = session();
  const std::string text = to_markdown(decided(results, {"C5", "C6"}));
  EXPECT_NE(text.find("| C6 | drop_last when the data does not divide evenly | **confirmed** | at "
                      "the price of 3 samples an epoch | `uneven_batches/peers_leave` deadlock "
                      "(4)<br>`uneven_batches/drop_last` completes (4) |"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("≠ **confirmed**"), std::string::npos) << text;
}

TEST(ClaimJson, HasAnswersRunsAndWhatIsOpen) {
  const report::Results results = session();
  const auto json =
      nlohmann::json::parse(to_json(decided(results, {"C5", "C6", "A1"}), results.context));
  EXPECT_EQ(json["schema"], "gridlock.claims/1");
  EXPECT_EQ(json["context"]["backend"], "sim");
  ASSERT_EQ(json["claims"].size(), 3U);
  EXPECT_EQ(json["claims"][0]["id"], "A1");
  EXPECT_EQ(json["claims"][0]["answer"], "undecided");
  EXPECT_TRUE(json["claims"][0]["as_predicted"].is_null());
  EXPECT_EQ(json["claims"][1]["as_predicted"], false);
  EXPECT_EQ(json["claims"][2]["answer"], "confirmed");
  EXPECT_EQ(json["claims"][2]["runs"][0]["variant"], "uneven_batches/peers_leave");
  EXPECT_EQ(json["claims"][2]["runs"][0]["ranks"], 4);
}

}  // namespace
}  // namespace gridlock::claims
