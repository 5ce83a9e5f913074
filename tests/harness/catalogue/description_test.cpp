// Sound and damaged answers to --describe.
#include <gtest/gtest.h>

#include "harness/base/error.h"
#include "harness/catalogue/catalogue.h"
#include "harness/catalogue/selection.h"

namespace gridlock::catalogue {
namespace {

const std::string kSound = R"({"schema":"gridlock.scenario/1","name":"a","backend":"sim",
"summary":"s","lesson":"l","claims":["C1"],"ranks":4,"variants":[
{"name":"v","role":"broken","summary":"","min_ranks":2,"max_ranks":16,"needs":"",
 "expect":{"outcomes":["deadlock","stall"],"cause":"rank_exited","culprits":[3],
  "waiting":[{"operation":"all_reduce","communicator":"world","slot":7,"label":"x","caller":"f",
              "ranks":[0,1]},
             {"operation":"","communicator":"","slot":null,"label":"","caller":"","ranks":null}]}}]})";

TEST(Description, SaysWhatIsDeclared) {
  const Scenario scenario = parse_description(kSound);
  EXPECT_EQ(scenario.ranks, 4);
  ASSERT_EQ(scenario.variants.size(), 1U);
  const detect::Expectation& expected = scenario.variants.front().expectation;
  EXPECT_EQ(expected.outcomes.size(), 2U);
  EXPECT_EQ(expected.cause, detect::Cause::rank_exited);
  ASSERT_EQ(expected.waiting.size(), 2U);
  EXPECT_EQ(expected.waiting[0].operation, record::Call::all_reduce);
  EXPECT_EQ(expected.waiting[0].slot, 7U);
  EXPECT_EQ(expected.waiting[0].ranks, (std::vector<int>{0, 1}));
  EXPECT_FALSE(expected.waiting[1].ranks);
  EXPECT_FALSE(expected.waiting[1].slot);
}

TEST(Description, AnOlderNcclMayHaveItsOwnDeclaration) {
  std::string text = kSound;
  text.replace(text.find("\"needs\""), 7, R"("expect_older":[
 {"before":22100,"expect":{"outcomes":["fails"],"cause":"none","culprits":[],"waiting":[]}},
 {"before":22602,"expect":{"outcomes":["crashes"],"cause":"none","culprits":[],"waiting":[]}}],
 "needs")");
  const Variant variant = parse_description(text).variants.front();
  const auto outcome = [&](int version) {
    return variant.expectation_for(version).outcomes.front();
  };
  EXPECT_EQ(outcome(0), detect::Outcome::deadlock);  // our own NCCL
  EXPECT_EQ(outcome(21904), detect::Outcome::fails);
  EXPECT_EQ(outcome(22100), detect::Outcome::crashes);
  EXPECT_EQ(outcome(22601), detect::Outcome::crashes);
  EXPECT_EQ(outcome(22602), detect::Outcome::deadlock);
}

// A description with two controls, and a fix that is measured against `control`.
std::string with_control(const std::string& control) {
  const auto variant = [](const std::string& name, const std::string& role,
                          const std::string& more) {
    return R"({"name":")" + name + R"(","role":")" + role + R"(",)" + more +
           R"("expect":{"outcomes":["completes"],"cause":"none","culprits":[],"waiting":[]}})";
  };
  return R"({"schema":"gridlock.scenario/1","name":"a","backend":"sim","ranks":4,"variants":[)" +
         variant("plain", "control", "") + "," + variant("busy", "control", "") + "," +
         variant("cure", "fix", control) + "]}";
}

TEST(Description, AFixNamesTheControlItIsMeasuredAgainst) {
  const auto control = [](const std::string& text) {
    const Scenario scenario = parse_description(text);
    EXPECT_EQ(control_of(scenario, scenario.variants[0]), nullptr);  // no fix
    return control_of(scenario, scenario.variants[2])->name;
  };
  EXPECT_EQ(control(with_control("")), "plain");
  EXPECT_EQ(control(with_control(R"("control":"busy",)")), "busy");
  EXPECT_THROW(parse_description(with_control(R"("control":"cure",)")), MachineError);
}

TEST(Description, EveryDamageIsSaid) {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = kSound;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const std::string& bad :
       {std::string(), std::string("hello"), std::string("[]"), std::string("{}"),
        kSound.substr(0, 100), changed("gridlock.scenario/1", "gridlock.scenario/9"),
        changed("\"broken\"", "\"odd\""), changed("rank_exited", "bad_luck"),
        changed("\"ranks\":4", "\"ranks\":\"four\""), changed("all_reduce", "all_hands"),
        changed("[\"deadlock\",\"stall\"]", "[]")}) {
    EXPECT_THROW(parse_description(bad), MachineError) << bad;
  }
}

}  // namespace
}  // namespace gridlock::catalogue
