// gridlock claims as a user runs it, and the costs of cures.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "tests/end_to_end/command.h"

namespace gridlock::end_to_end {
namespace {

TEST(Claims, AreAnsweredByRunningWhatDecidesThem) {
  const Folder folder;
  const Done done = gridlock({"claims", "c6", "--backend", "sim", "--output", "results"}, folder);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_NE(done.output.find("C6   confirmed (as predicted)"), std::string::npos) << done.output;
  EXPECT_EQ(read_json(folder.path() / "results/results.json").at("runs").size(), 2U);

  // The same answers from the kept runs. Claims whose runs are missing stay open.
  const Done again = gridlock({"claims", "C6", "C5", "--from", "results", "--json"}, folder);
  EXPECT_EQ(again.code, 0) << again.output;
  const auto claims = nlohmann::json::parse(again.output).at("claims");
  ASSERT_EQ(claims.size(), 2U);
  EXPECT_EQ(claims[0].at("answer"), "undecided");
  EXPECT_EQ(claims[1].at("answer"), "confirmed");
}

TEST(Claims, ThatNothingDecidesAreNoAnswer) {
  const Folder folder;
  const Done run = gridlock(
      {"run", "--backend", "sim", "uneven_batches/even_batches", "--output", "results"}, folder);
  ASSERT_EQ(run.code, 0) << run.output;
  const Done done = gridlock({"claims", "A1", "--from", "results"}, folder);
  EXPECT_EQ(done.code, 77) << done.output;
  EXPECT_NE(done.output.find("no run of stray_synchronize/"), std::string::npos) << done.output;
}

// A variant that was renamed would leave its claims open for ever.
TEST(Claims, AreDecidedByVariantsThatThereAre) {
  const Folder folder;
  ASSERT_EQ(gridlock({"run", "--backend", "sim", "uneven_batches/drop_last", "--output", "results"},
                     folder)
                .code,
            0);
  const Done all = gridlock({"claims", "--from", "results", "--json"}, folder);
  const std::string list = gridlock({"list", "--backend", "sim"}, folder).output;
  int checked = 0;
  const auto answers = nlohmann::json::parse(all.output);
  for (const auto& claim : answers.at("claims")) {
    for (std::string variant : claim.at("variants")) {
      if (variant.ends_with("/*")) variant.pop_back();
      EXPECT_NE(list.find(" " + variant), std::string::npos) << claim.at("id") << ": " << variant;
      ++checked;
    }
  }
  EXPECT_GE(checked, 45);
}

// Results of a session that was killed while writing, results of another version, and files that
// are not results.
TEST(Claims, FromDamagedResultsAreWrongUsage) {
  const Folder folder;
  const auto said = [&](const std::string& text) {
    std::ofstream(folder.path() / "results.json") << text;
    const Done done = gridlock({"claims", "--from", "."}, folder);
    EXPECT_EQ(done.code, 2) << done.output;
    EXPECT_EQ(std::count(done.output.begin(), done.output.end(), '\n'), 1) << done.output;
    return done.output;
  };
  EXPECT_NE(said("").find("it is empty"), std::string::npos);
  EXPECT_NE(said("{\n\"schema\":").find("it ends in the middle, at line 2"), std::string::npos);
  EXPECT_NE(said("{\"schema\": \"gridlock.results/0\"}").find("this gridlock reads"),
            std::string::npos);
  const Done done = gridlock({"claims", "A11", "--from", "."}, folder);
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.output.find("did you mean A1?"), std::string::npos) << done.output;
}

TEST(Report, PutsSessionsTogether) {
  const Folder folder;
  for (const char* variant : {"drop_last", "even_batches"}) {
    const Done done = gridlock(
        {"run", "--backend", "sim", std::string("uneven_batches/") + variant, "--output", variant},
        folder);
    ASSERT_EQ(done.code, 0) << done.output;
  }
  const Done done = gridlock({"report", "drop_last", "even_batches", "--output", "both"}, folder);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_EQ(read_json(folder.path() / "both/results.json").at("runs").size(), 2U);
  EXPECT_NE(done.output.find("2 runs: 2 as declared"), std::string::npos) << done.output;
}

TEST(Cost, IsMeasuredInPairs) {
  const Folder folder;
  const Done done = gridlock(
      {"run", "--backend", "sim", "uneven_batches/drop_last", "--cost", "4", "--output", "results"},
      folder);
  EXPECT_EQ(done.code, 0) << done.output;
  const auto results = read_json(folder.path() / "results/results.json");
  EXPECT_EQ(results.at("runs").size(), 1U + 2 * 4U);
  ASSERT_EQ(results.at("costs").size(), 1U);
  const auto& cost = results.at("costs")[0];
  EXPECT_EQ(cost.at("variant"), "drop_last");
  EXPECT_EQ(cost.at("repetitions"), 4);
  EXPECT_EQ(cost.at("control"), "even_batches");
  EXPECT_EQ(results.at("cheapest_cures").at(0).at("variant"), "drop_last");
  EXPECT_GT(cost.at("fix_cost"), 0);
  EXPECT_LE(cost.at("least"), cost.at("fix_cost"));
  EXPECT_NE(done.output.find("Cost of the cures"), std::string::npos) << done.output;
}

}  // namespace
}  // namespace gridlock::end_to_end
