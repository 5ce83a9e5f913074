// A scenario's description is valid JSON for every number of ranks, and makes sense.
#include "scenarios/runtime/describe.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tests/scenarios/programs.h"

namespace gridlock {
namespace {

using Json = nlohmann::json;

void nothing(Rank&) {}

constexpr Variant kVariants[] = {
    {.name = "gone",
     .role = Role::broken,
     .summary = "one has gone",
     .run = nothing,
     .expect =
         [](int ranks) {
           return deadlock(Cause::rank_exited)
               .or_on(Backend::cuda, Outcome::fails)
               .culprits({ranks - 1})
               .waiting(all_but(ranks, ranks - 1),
                        {"gradients/bucket 0", Operation::all_reduce, "world", 7, "launch_bucket"});
         },
     .min_ranks = 3,
     .needs = "a majority"},
    {.name = "loop", .role = Role::control, .summary = "nothing wrong", .run = nothing},
    {.name = "slow_loop", .role = Role::control, .summary = "nothing wrong", .run = nothing},
    {.name = "well", .role = Role::fix, .summary = "well", .run = nothing, .max_ranks = 8},
    Variant{"as_well", Role::fix, "well", nothing}.against("slow_loop").with({{"NAME", "1"}}),
    {.name = "loose",
     .role = Role::broken,
     .summary = "undefined",
     .run = nothing,
     .expect =
         [](int ranks) {
           return deadlock(Cause::mismatch)
               .loosely_on_real_nccl()
               .culprits({ranks - 1})
               .waiting({0}, {"gradients/bucket 0"});
         }},
    {.name = "mended",
     .role = Role::remedy,
     .summary = "right, and NCCL was wrong",
     .run = nothing,
     .expect = [](int) { return completes().before(22602, crashes()); }},
};

constexpr Scenario kSample{
    .summary = "a sample",
    .claims = {"A1", "B2"},
    .ranks = 3,
    .variants = kVariants,
};

Json describe_sample(Backend backend, int ranks) {
  return Json::parse(describe(kSample, "sample", "A \"lesson\"\nof two lines", backend, ranks));
}

TEST(Describe, SaysWhatNeedsAGpu) {
  const Variant variant = Variant{"graph", Role::fix, ""}.only_on_gpu("graphs are not simulated");
  EXPECT_EQ(cannot_run(variant, Backend::sim, 4), "needs a GPU: graphs are not simulated");
  EXPECT_EQ(cannot_run(variant, Backend::cuda, 4), "");
}

TEST(Describe, SaysWhatNeedsTheSimulation) {
  const Variant variant = Variant{"gone", Role::broken, ""}.with_fault("lost:*");
  EXPECT_EQ(cannot_run(variant, Backend::cuda, 4),
            "needs the simulation: no program can break a GPU");
  EXPECT_EQ(cannot_run(variant, Backend::sim, 4), "");
  EXPECT_EQ(cannot_run(variant, Backend::source, 4), "");
  EXPECT_TRUE(variant.settings.begin()->only_last);
}

TEST(Describe, SaysWhatIsDeclared) {
  const Json json = describe_sample(Backend::sim, 4);
  EXPECT_EQ(json["schema"], "gridlock.scenario/1");
  EXPECT_EQ(json["name"], "sample");
  EXPECT_EQ(json["backend"], "sim");
  EXPECT_EQ(json["lesson"], "A \"lesson\"\nof two lines");
  EXPECT_EQ(json["claims"], (Json{"A1", "B2"}));
  EXPECT_EQ(json["ranks"], 3);
  const Json& variant = json["variants"][0];
  EXPECT_EQ(variant["role"], "broken");
  EXPECT_EQ(variant["expect"]["outcomes"], Json{"deadlock"});
  EXPECT_EQ(variant["expect"]["cause"], "rank_exited");
  EXPECT_EQ(variant["expect"]["culprits"], Json{3});
  const Json& wait = variant["expect"]["waiting"][0];
  EXPECT_EQ(wait["operation"], "all_reduce");
  EXPECT_EQ(wait["communicator"], "world");
  EXPECT_EQ(wait["slot"], 7);
  EXPECT_EQ(wait["label"], "gradients/bucket 0");
  EXPECT_EQ(wait["caller"], "launch_bucket");
  EXPECT_EQ(wait["ranks"], (Json{0, 1, 2}));
}

TEST(Describe, HoldsTheSource) {
  const Json json =
      Json::parse(describe(kSample, "sample", "", Backend::sim, 4, {},
                           {.file = "order/sample.cpp", .text = "int a = \"\\n\";\n"}));
  EXPECT_EQ(json["source"]["file"], "order/sample.cpp");
  EXPECT_EQ(json["source"]["text"], "int a = \"\\n\";\n");
}

TEST(Describe, LeavesOutWhatIsNotCompared) {
  const Json on_sim = describe_sample(Backend::sim, 4)["variants"][5]["expect"];
  EXPECT_EQ(on_sim["cause"], "mismatch");
  EXPECT_EQ(on_sim["culprits"], Json{3});
  EXPECT_EQ(on_sim["waiting"].size(), 1U);
  const Json on_cuda = describe_sample(Backend::cuda, 4)["variants"][5]["expect"];
  EXPECT_EQ(on_cuda["outcomes"], Json{"deadlock"});
  EXPECT_EQ(on_cuda["cause"], "none");
  EXPECT_EQ(on_cuda["culprits"], Json::array());
  EXPECT_EQ(on_cuda["waiting"], Json::array());
}

TEST(Describe, SaysWhatOlderVersionsDo) {
  const Json mended = describe_sample(Backend::source, 4)["variants"][6];
  EXPECT_EQ(mended["expect"]["outcomes"], Json{"completes"});
  ASSERT_EQ(mended["expect_older"].size(), 1U);
  EXPECT_EQ(mended["expect_older"][0]["before"], 22602);
  EXPECT_EQ(mended["expect_older"][0]["expect"]["outcomes"], Json{"crashes"});
  EXPECT_EQ(describe_sample(Backend::sim, 4)["variants"][0]["expect_older"], Json::array());
}

TEST(Describe, SaysWhichControlAFixIsMeasuredAgainst) {
  const Json json = describe_sample(Backend::sim, 4);
  EXPECT_EQ(json["variants"][3]["control"], "");  // the first
  EXPECT_EQ(json["variants"][4]["control"], "slow_loop");
}

TEST(Describe, SaysWhichSettingsARankGets) {
  const Json json = describe_sample(Backend::sim, 4);
  EXPECT_EQ(json["variants"][3]["settings"], Json::object());
  EXPECT_EQ(json["variants"][4]["settings"], (Json{{"NAME", "1"}}));
}

TEST(Describe, AVariantIsDeclaredToCompleteUnlessItSaysOtherwise) {
  const Json expect = describe_sample(Backend::sim, 4)["variants"][1]["expect"];
  EXPECT_EQ(expect["outcomes"], Json{"completes"});
  EXPECT_EQ(expect["cause"], "none");
}

TEST(Describe, AcceptsMoreOutcomesWhereTheBackEndMay) {
  EXPECT_EQ(describe_sample(Backend::cuda, 4)["variants"][0]["expect"]["outcomes"],
            (Json{"deadlock", "fails"}));
}

TEST(Describe, SaysWhyAVariantCannotRun) {
  EXPECT_EQ(describe_sample(Backend::sim, 2)["variants"][0]["needs"],
            "needs at least 3 ranks: a majority");
  EXPECT_EQ(describe_sample(Backend::sim, 9)["variants"][3]["needs"], "takes at most 8 ranks");
  EXPECT_EQ(describe_sample(Backend::sim, 8)["variants"][3]["needs"], "");
}

void expect_sound(const Json& variant, int ranks) {
  const Json& expect = variant["expect"];
  const std::string role = variant["role"];
  ASSERT_FALSE(expect["outcomes"].empty());
  const std::string outcome = expect["outcomes"][0];
  const bool hangs = outcome == "deadlock" || outcome == "stall";
  EXPECT_TRUE(role != "broken" || outcome != "completes") << "what does it expect?";
  if (role == "fix" || role == "control") {
    EXPECT_FALSE(hangs || outcome == "corrupts") << outcome;  // ends, perhaps with an error
  }
  if (hangs) {
    EXPECT_NE(expect["cause"], "none");
    EXPECT_FALSE(expect["culprits"].empty());
  }
  EXPECT_TRUE(outcome != "completes" || expect["waiting"].empty());
  for (const Json& rank : expect["culprits"]) {
    EXPECT_GE(rank, 0);
    EXPECT_LT(rank, ranks);
  }
  std::set<int> waiting;
  for (const Json& wait : expect["waiting"]) {
    EXPECT_FALSE(wait["label"].get<std::string>().empty());
    if (wait["ranks"].is_null()) continue;
    for (const int rank : wait["ranks"].get<std::vector<int>>()) {
      EXPECT_TRUE(waiting.insert(rank).second) << "rank " << rank << " waits in two places";
      EXPECT_LT(rank, ranks);
    }
  }
}

TEST(Describe, EveryProgramIsSoundForEveryNumberOfRanks) {
  const auto all = testing::programs();
  ASSERT_GE(all.size(), 4U) << "the scenario programs are not built";
  for (const auto& program : all) {
    for (int ranks = 2; ranks <= 16; ++ranks) {
      SCOPED_TRACE(program.filename().string() + " with " + std::to_string(ranks));
      const Json json = testing::describe_program(program, ranks);
      EXPECT_EQ(json["name"], program.filename().string());
      EXPECT_GT(json["lesson"].get<std::string>().size(), 200U);
      std::set<std::string> controls{""};
      for (const Json& variant : json["variants"]) {
        if (variant["role"] == "control") controls.insert(variant["name"]);
      }
      std::set<std::string> names;
      for (const Json& variant : json["variants"]) {
        EXPECT_TRUE(controls.contains(variant["control"])) << variant["control"];
        SCOPED_TRACE(variant["name"]);
        EXPECT_TRUE(names.insert(variant["name"]).second);
        if (variant["needs"].get<std::string>().empty()) expect_sound(variant, ranks);
      }
      EXPECT_FALSE(names.empty());
    }
  }
}

}  // namespace
}  // namespace gridlock
