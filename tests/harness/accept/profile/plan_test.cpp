// How profiles become checks.
#include "harness/accept/profile/plan.h"

#include <gtest/gtest.h>

#include "harness/base/error.h"

namespace gridlock::accept {
namespace {

constexpr std::chrono::year_month_day kToday = std::chrono::year(2026) / 11 / 21;

// A catalogue of one scenario with two variants.
std::vector<Found> find(const std::string& pattern, int ranks) {
  if (pattern == "lessons/*") {
    return {{.scenario = "lessons", .variant = "bad", .ranks = ranks, .needs = ""},
            {.scenario = "lessons",
             .variant = "good",
             .ranks = ranks,
             .needs = ranks < 4 ? "needs at least 4 ranks" : ""}};
  }
  if (pattern == "lessons/bad") {
    return {{.scenario = "lessons", .variant = "bad", .ranks = ranks, .needs = ""}};
  }
  throw UsageError("there is no scenario \"" + pattern + "\"; did you mean lessons?");
}

std::vector<Check> planned(const std::string& text, const Setting& setting) {
  return plan(parse_profile("summary = \"s\"\n" + text, "p.toml", kToday), setting, find);
}

const Setting kSimSetting{.backend = "sim", .gpus = 4, .no_gpus = ""};
const Setting kEightGpus{.backend = "cuda", .gpus = 8, .no_gpus = ""};

std::vector<std::string> ids(const std::vector<Check>& checks) {
  std::vector<std::string> all;
  all.reserve(checks.size());
  for (const Check& check : checks) all.push_back(check.id);
  return all;
}

std::string refusal(const std::string& text, const Setting& setting) {
  try {
    planned(text, setting);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "taken";
}

TEST(Plan, NamesEachCheckOnce) {
  const auto checks = planned(
      "ranks = [\"gpus\", 2]\n[[scenario]]\nrun = \"lessons/*\"\n"
      "[[collective]]\noperation = \"all_reduce\"\nsizes = [\"8B\", \"1MiB\"]\nin_place = true\n"
      "[[scaling]]\nranks = 2\nspeed_up = [1.8, 1.9]\n[[soak]]\nfor = \"1min\"\nranks = 4\n",
      kEightGpus);
  EXPECT_EQ(ids(checks),
            (std::vector<std::string>{"lessons/bad@8", "lessons/good@8", "lessons/bad@2",
                                      "lessons/good@2", "all_reduce/in_place/8B@8",
                                      "all_reduce/in_place/1MiB@8", "all_reduce/in_place/8B@2",
                                      "all_reduce/in_place/1MiB@2", "scaling@2", "soak@4"}));
  EXPECT_EQ(checks[3].cannot, "needs at least 4 ranks");
  EXPECT_EQ(checks[4].bytes, 8U);
}

// A profile that is accepted on eight GPUs must not be refused on four.
TEST(Plan, WhatFallsTogetherOnThisMachineIsDoneOnce) {
  const auto checks = planned(
      "[[scenario]]\nrun = \"lessons/bad\"\nranks = 4\nrepeat = 5\n"
      "[[scenario]]\nrun = \"lessons/*\"\nranks = \"gpus\"\n",
      kSimSetting);
  EXPECT_EQ(ids(checks), (std::vector<std::string>{"lessons/bad@4", "lessons/good@4"}));
  EXPECT_EQ(checks[0].repeat, 5);
}

TEST(Plan, WhatCannotRunSaysWhy) {
  const std::string scaling = "[[scaling]]\nranks = 8\nspeed_up = [7.0, 7.5]\n";
  EXPECT_NE(planned(scaling, kSimSetting).at(0).cannot.find("simulated ranks share"),
            std::string::npos);
  EXPECT_EQ(planned(scaling, kEightGpus).at(0).cannot, "");
  Setting four = kEightGpus;
  four.gpus = 4;
  EXPECT_EQ(planned(scaling, four).at(0).cannot,
            "a speed-up on 8 ranks needs 8 GPUs, and there are 4");
  const Setting none{.backend = "cuda", .gpus = 0, .no_gpus = "there is no driver"};
  EXPECT_EQ(planned("[[scenario]]\nrun = \"lessons/bad\"\n", none).at(0).cannot,
            "there is no driver");
  Setting bare = kSimSetting;
  bare.has_benchmark = false;
  const std::string reduce = "[[collective]]\noperation = \"pair\"\nsizes = \"1MiB\"\n";
  EXPECT_NE(planned(reduce, bare).at(0).cannot.find("GRIDLOCK_BENCHMARKS=ON"), std::string::npos);
  EXPECT_NE(planned("ranks = 1\n" + reduce, kSimSetting).at(0).cannot.find("at least 2 ranks"),
            std::string::npos);
}

TEST(Plan, ExcusesAreHungOnTheirChecks) {
  const auto checks = planned(
      "ranks = 4\n[[scenario]]\nrun = \"lessons/*\"\n"
      "[[waiver]]\ncheck = \"lessons/b*\"\nreason = \"known\"\nuntil = 2027-01-31\n"
      "[[expected_failure]]\ncheck = \"lessons/good@4\"\nticket = \"OPS-1\"\n",
      kSimSetting);
  EXPECT_EQ(checks.at(0).excuse->why, "known (until 2027-01-31)");
  EXPECT_EQ(checks.at(1).excuse->kind, Excuse::Kind::expected);
  EXPECT_EQ(checks.at(1).excuse->why, "ticket OPS-1");
}

TEST(Plan, WhatIsWrongIsSaidWithFileAndLine) {
  EXPECT_EQ(refusal("[[scenario]]\nrun = [\"lessons/bad\",\n\"lesson\"]\n", kSimSetting),
            "p.toml:4: there is no scenario \"lesson\"; did you mean lessons?");
  EXPECT_EQ(
      refusal("[[scenario]]\nrun = [\"lessons/*\", \"lessons/bad\"]\nranks = 4\n", kSimSetting),
      "p.toml:2: line 2 asks for the check lessons/bad@4 too; remove one");
  EXPECT_EQ(refusal("[[scenario]]\nrun = \"lessons/bad\"\n[[waiver]]\ncheck = \"lessons/bda\"\n"
                    "reason = \"r\"\nuntil = 2027-01-31\n",
                    kSimSetting),
            "p.toml:5: no check is called \"lessons/bda\"; did you mean lessons/bad?");
  EXPECT_EQ(refusal("[[collective]]\noperation = \"copy\"\nsizes = \"1MiB\"\n"
                    "share_of_baseline = \"90%\"\n",
                    kSimSetting),
            "p.toml:2: the floor of copy is a share of a baseline, and there is none; give "
            "--baseline FILE, or the key baseline at the top of the profile");
  EXPECT_EQ(refusal("[[soak]]\nfor = \"1min\"\nrun = \"leson\"\n", kSimSetting),
            "p.toml:4: there is no scenario \"leson\"; did you mean lessons?");
}

std::vector<Check> three_planned() {
  auto checks = planned(
      "ranks = 4\n[[scenario]]\nrun = \"lessons/*\"\ntags = \"quick\"\n"
      "[[collective]]\noperation = \"copy\"\nsizes = \"1MiB\"\ntags = [\"quick\", \"speed\"]\n",
      kSimSetting);
  EXPECT_EQ(checks.size(), 3U);
  return checks;
}

TEST(Select, ByTag) {
  EXPECT_EQ(select(three_planned(), {.tags = {"quick"}, .skip_tags = {"speed"}}).size(), 2U);
  // The kind of a check is a tag too.
  EXPECT_EQ(ids(select(three_planned(), {.tags = {"collective"}, .skip_tags = {}})),
            std::vector<std::string>{"copy/1MiB@4"});
  EXPECT_THROW(select(three_planned(), {.tags = {"quik"}, .skip_tags = {}}), UsageError);
  EXPECT_THROW(select(three_planned(), {.tags = {}, .skip_tags = {"quick"}}), UsageError);
}

TEST(Select, ShardsTogetherAreAll) {
  std::vector<std::string> all;
  for (const char* text : {"1/2", "2/2"}) {
    Selection selection;
    parse_shard(text, selection);
    for (const std::string& id : ids(select(three_planned(), selection))) all.push_back(id);
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, (std::vector<std::string>{"copy/1MiB@4", "lessons/bad@4", "lessons/good@4"}));
}

TEST(Select, BadShardsAreRefused) {
  for (const char* text : {"", "1", "0/2", "3/2", "1/0", "1/2x", "a/b", "-1/2", "1/"}) {
    Selection selection;
    EXPECT_THROW(parse_shard(text, selection), UsageError) << text;
  }
}

}  // namespace
}  // namespace gridlock::accept
