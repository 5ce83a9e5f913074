// Every variant of every scenario gets the verdict that it declares.
#include <gtest/gtest.h>

#include <set>

#include "tests/end_to_end/command.h"

namespace gridlock::end_to_end {
namespace {

const std::set<std::string> kTraining{"stray_synchronize", "sync_batchnorm_stall", "uneven_batches",
                                      "uneven_sequence_lengths"};

// `ranks`: if empty, each scenario's own number. Returns the results.
nlohmann::json expect_all_as_declared(const std::string& ranks) {
  const Folder folder;
  std::vector<std::string> arguments{"run", "--backend", "sim", "--json", "results.json"};
  if (!ranks.empty()) arguments.insert(arguments.end(), {"--ranks", ranks});
  const Done done = gridlock(arguments, folder);
  EXPECT_EQ(done.code, 0) << done.output;
  auto results = read_json(folder.path() / "results.json");
  EXPECT_TRUE(results.is_object()) << done.output;
  if (!results.is_object()) return results;
  int judged = 0;
  int hangs = 0;
  for (const auto& run : results.at("runs")) {
    SCOPED_TRACE(run.dump(1));
    if (run.at("status") == "skipped") continue;
    ++judged;
    if (run.at("outcome") == "deadlock") ++hangs;
    EXPECT_EQ(run.at("as_declared"), true);
    EXPECT_EQ(run.at("score"), 5);
    EXPECT_EQ(run.at("noise"), 0);
    // Some cures end a job cleanly instead of letting it complete, and some scenarios compute
    // nothing. If a cure trains, its numbers are checked.
    if (kTraining.contains(run.at("scenario")) && run.at("role") == "fix") {
      EXPECT_EQ(run.at("outcome"), "completes");
      EXPECT_EQ(run.at("numbers_checked"), true);
    }
  }
  // The catalogue holds variants that hang and variants that do not, or some were lost.
  EXPECT_GT(hangs, 0);
  EXPECT_GT(judged, hangs);
  const auto& summary = results.at("summary");
  EXPECT_EQ(summary.at("runs"), judged);
  EXPECT_EQ(summary.at("false_positive"), 0);
  EXPECT_EQ(summary.at("false_negative"), 0);
  EXPECT_EQ(summary.at("errors"), 0);
  return results;
}

TEST(Catalogue, OnTwoRanks) { expect_all_as_declared("2"); }

TEST(Catalogue, OnAnOddNumberOfRanks) { expect_all_as_declared("5"); }

TEST(Catalogue, OnSixteenRanks) { expect_all_as_declared("16"); }

// Four ranks, except for a few scenarios that need another number.
TEST(Catalogue, OnTheirOwnNumberOfRanksRunsWhatIsListed) {
  const Folder folder;
  const Done listed = gridlock({"list", "--backend", "sim"}, folder);
  EXPECT_EQ(listed.code, 0);
  const auto results = expect_all_as_declared("");
  std::size_t found = 0;
  for (const auto& run : results.at("runs")) {
    const std::string name =
        run.at("scenario").get<std::string>() + "/" + run.at("variant").get<std::string>();
    EXPECT_NE(listed.output.find(name), std::string::npos) << name;
    ++found;
  }
  EXPECT_GT(found, 30U);
}

}  // namespace
}  // namespace gridlock::end_to_end
