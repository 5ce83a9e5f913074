// Snapshots become a timeline that can be read back, and nothing else is accepted as one.
#include "harness/report/page/timeline.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/report/page/columns.h"
#include "tests/harness/report/page/recorded.h"

namespace gridlock::report {
namespace {

using Json = nlohmann::json;

TEST(Timeline, PutsRanksInEqualStateTogether) {
  const Json all = Json::parse(timeline_with(last_rank_short(), last_to_blame()));
  std::vector<int> groups;
  for (const Json& rank : all["ranks"]) groups.push_back(rank["group"]);
  EXPECT_EQ(groups, (std::vector<int>{0, 0, 0, 1}));
  EXPECT_EQ(all["ranks"][3]["culprit"], true);
  EXPECT_EQ(all["ranks"][3]["process"], "exited");
}

TEST(Timeline, SaysHowFarEachOperationHasCome) {
  const auto snapshots = last_rank_short();
  const Json all = Json::parse(timeline_with(snapshots, last_to_blame()));
  const std::size_t stage = all["ranks"][0]["operations"]["stage"];
  EXPECT_EQ(all["columns"][stage], encoded({0, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_EQ(all["communicators"][0]["name"], "world");
  EXPECT_EQ(all["marks"]["proven"], 15000) << "tenths of a microsecond since the start";
}

TEST(Timeline, KeepsOnceWhatRanksDoAlike) {
  const Json all = Json::parse(timeline_with(last_rank_short(64), last_to_blame(64)));
  EXPECT_EQ(all["ranks"][0]["operations"]["label"], all["ranks"][62]["operations"]["label"]);
  EXPECT_LT(all["columns"].size(), 64U * 2) << "only times differ";
}

TEST(Timeline, IsReadBack) {
  EXPECT_EQ(timeline_fault(timeline_with(last_rank_short(), last_to_blame())), "");
  EXPECT_EQ(timeline_fault(timeline_with({}, {})), "") << "a run without ranks";
}

TEST(Timeline, IsSmallForManyRanks) {
  const std::string text = timeline_with(last_rank_short(256, 4096), last_to_blame(256));
  EXPECT_LT(text.size(), 5U << 20U);
  EXPECT_EQ(timeline_fault(text), "");
}

TEST(Timeline, RefusesWhatCannotBeDrawn) {
  const Json good = Json::parse(timeline_with(last_rank_short(), last_to_blame()));
  const auto faulty = [&](const auto& change) {
    Json bad = good;
    change(bad);
    return timeline_fault(bad.dump());
  };
  EXPECT_NE(timeline_fault(""), "");
  EXPECT_NE(timeline_fault("{\"schema\": \"another/1\"}"), "");
  EXPECT_NE(faulty([](Json& json) { json["ranks"][0]["length"] = 9; }), "");
  EXPECT_NE(faulty([](Json& json) { json["columns"][0] = "<script>"; }), "");
  EXPECT_NE(faulty([](Json& json) { json["ranks"][1]["operations"]["time"] = 1000; }), "");
  EXPECT_NE(faulty([](Json& json) { json["words"] = 3; }), "");
  EXPECT_NE(faulty([](Json& json) { json["tick_ns"] = 0; }), "");
  EXPECT_NE(faulty([](Json& json) { json.erase("graph"); }), "");
  EXPECT_NE(faulty([](Json& json) {
              json["graph"] = {{"nodes", Json::array()}, {"edges", {{{"from", 0}, {"to", 1}}}}};
            }),
            "");
  EXPECT_NE(timeline_fault(std::string(kMostTimelineBytes + 1, ' ')), "");
}

}  // namespace
}  // namespace gridlock::report
