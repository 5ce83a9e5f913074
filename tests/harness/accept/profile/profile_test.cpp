// Reading profiles, and the error for each thing that can be wrong with one.
#include "harness/accept/profile/profile.h"

#include <gtest/gtest.h>

#include "harness/base/error.h"

namespace gridlock::accept {
namespace {

using std::chrono::year;
constexpr std::chrono::year_month_day kReadOn = year(2026) / 11 / 21;

constexpr const char* kWhole = R"(summary = "all there is"
backend = "cuda"
ranks = [2, "gpus"]
limit = "1h"
check_limit = "2min"
baseline = "good.json"

[[scenario]]
run = ["uneven_batches/*", "rank_crash/nobody_dies"]
repeat = 3
tags = ["detector", "quick"]
needed = false

[[collective]]
operation = "all_reduce"
sizes = ["1KiB", "64 MiB"]
in_place = true
floor = "250 GB/s"
share_of_baseline = "90%"

[[collective]]
operation = "pair"
sizes = "1GiB"
ranks = 8
outlier_margin = "10%"

[[scaling]]
ranks = 4
speed_up = [3.5, 3.8]

[[soak]]
for = "30m"
limit = "40m"
delays = false

[[waiver]]
check = "all_reduce/*"
reason = "one link is down"
until = 2026-12-31

[[expected_failure]]
check = "uneven_batches/join"
ticket = "OPS-12"
)";

TEST(Profile, HoldsWhatTheFileSays) {
  const Profile profile = parse_profile(kWhole, "p.toml", kReadOn);
  EXPECT_EQ(profile.summary, "all there is");
  EXPECT_EQ(profile.backend, "cuda");
  EXPECT_EQ(profile.limit, std::chrono::hours(1));
  EXPECT_EQ(profile.baseline.text, "good.json");
  ASSERT_EQ(profile.scenarios.size(), 1U);
  const Scenarios& scenarios = profile.scenarios[0];
  EXPECT_EQ(scenarios.run[1].text, "rank_crash/nobody_dies");
  EXPECT_EQ(scenarios.run[1].line, 9);
  EXPECT_EQ(scenarios.common.repeat, 3);
  EXPECT_FALSE(scenarios.common.needed);
  EXPECT_EQ(scenarios.common.ranks, (std::vector<int>{2, kOnePerGpu}));
  EXPECT_EQ(scenarios.common.limit, std::chrono::minutes(2));
  ASSERT_EQ(profile.collectives.size(), 2U);
  const Collectives& reduce = profile.collectives[0];
  EXPECT_EQ(reduce.sizes, (std::vector<std::uint64_t>{1024, 64 << 20}));
  EXPECT_TRUE(reduce.in_place);
  EXPECT_DOUBLE_EQ(*reduce.floors.least, 250e9);
  EXPECT_DOUBLE_EQ(*reduce.floors.share, 0.9);
  EXPECT_FALSE(reduce.floors.margin.has_value());
  EXPECT_TRUE(profile.collectives[1].is_a_ranks_own);
  EXPECT_EQ(profile.collectives[1].common.ranks, std::vector<int>{8});
  EXPECT_DOUBLE_EQ(*profile.collectives[1].floors.margin, 0.1);
  EXPECT_DOUBLE_EQ(profile.scaling.at(0).least, 3.5);
  EXPECT_EQ(profile.soak.at(0).time, std::chrono::minutes(30));
  EXPECT_FALSE(profile.soak.at(0).delays);
  EXPECT_EQ(profile.waivers.at(0).reason, "one link is down");
  EXPECT_EQ(profile.expected_failures.at(0).ticket, "OPS-12");
}

struct Bad {
  const char* name;
  const char* text;
  const char* says;
};

class BadProfile : public testing::TestWithParam<Bad> {};

TEST_P(BadProfile, IsSaidWithFileAndLine) {
  try {
    parse_profile(std::string("summary = \"s\"\n") + GetParam().text, "p.toml", kReadOn);
    FAIL() << "taken: " << GetParam().text;
  } catch (const UsageError& error) {
    EXPECT_EQ(std::string(error.what()).find(GetParam().says), 0U) << error.what();
  }
}

constexpr const char* kSome = "[[scenario]]\nrun = \"a\"\n";

INSTANTIATE_TEST_SUITE_P(
    All, BadProfile,
    testing::Values(
        Bad{"UnknownKey", "[[scenario]]\nrun = \"a\"\nrepeats = 3\n",
            "p.toml:4: there is no key \"repeats\" in [[scenario]]; did you mean repeat?"},
        Bad{"UnknownTopKey", "limt = \"1h\"\n[[scenario]]\nrun = \"a\"\n",
            "p.toml:2: there is no key \"limt\"; did you mean limit?"},
        Bad{"UnknownTable", "[[scenarios]]\nrun = \"a\"\n",
            "p.toml:2: there is no key \"scenarios\"; did you mean scenario?"},
        Bad{"SingleTable", "[scenario]\nrun = \"a\"\n",
            "p.toml:2: write [[scenario]] before its keys, not [scenario] or scenario = …"},
        Bad{"WrongUnit",
            "[[collective]]\noperation = \"all_reduce\"\nsizes = \"1MiB\"\n"
            "floor = \"250 Gb/s\"\n",
            "p.toml:5: \"250 Gb/s\" is not a bandwidth: there is no unit \"Gb/s\"; did you mean"},
        Bad{"NoUnit",
            "[[collective]]\noperation = \"all_reduce\"\nsizes = \"1MiB\"\n"
            "floor = \"250\"\n",
            "p.toml:5: \"250\" is not a bandwidth: it has no unit; write one of B/s"},
        Bad{"NumberForUnit",
            "[[collective]]\noperation = \"all_reduce\"\nsizes = \"1MiB\"\n"
            "floor = 250\n",
            "p.toml:5: floor must be a text in quotation marks, not a number"},
        Bad{"NegativeFloor",
            "[[collective]]\noperation = \"all_reduce\"\nsizes = \"1MiB\"\n"
            "floor = \"-1 GB/s\"\n",
            "p.toml:5: \"-1 GB/s\" is not a bandwidth: it is negative"},
        Bad{"ShareOverOne",
            "[[collective]]\noperation = \"all_reduce\"\nsizes = \"1MiB\"\n"
            "share_of_baseline = \"110%\"\n",
            "p.toml:5: \"110%\" is not a share: it is more than 100%"},
        Bad{"UnknownOperation", "[[collective]]\noperation = \"allreduce\"\nsizes = \"1MiB\"\n",
            "p.toml:3: there is no operation \"allreduce\"; did you mean all_reduce?"},
        Bad{"NoSizes", "[[collective]]\noperation = \"all_reduce\"\n",
            "p.toml:2: [[collective]] lacks the key sizes"},
        Bad{"SizeInAList", "[[collective]]\noperation = \"copy\"\nsizes = [\"1MiB\",\n\"2Mb\"]\n",
            "p.toml:5: \"2Mb\" is not a size: there is no unit \"Mb\"; did you mean MB?"},
        Bad{"FractionOfAByte", "[[collective]]\noperation = \"copy\"\nsizes = \"1.5B\"\n",
            "p.toml:4: \"1.5B\" is not a size: give a whole number of bytes"},
        Bad{"InPlaceOfNothing",
            "[[collective]]\noperation = \"pair\"\nsizes = \"1MiB\"\n"
            "in_place = true\n",
            "p.toml:2: pair has no in-place form"},
        Bad{"OutlierOfAll",
            "[[collective]]\noperation = \"all_reduce\"\nsizes = \"1MiB\"\n"
            "outlier_margin = \"10%\"\n",
            "p.toml:2: outlier_margin goes with the operations pair and copy"},
        Bad{"NoSuchBackend", "backend = \"simm\"\n[[scenario]]\nrun = \"a\"\n",
            "p.toml:2: there is no back end \"simm\"; did you mean sim?"},
        Bad{"NoRanks", "ranks = 0\n[[scenario]]\nrun = \"a\"\n",
            "p.toml:2: 0 is not a number of ranks; give one from 1 to"},
        Bad{"RanksOfWords", "ranks = \"all\"\n[[scenario]]\nrun = \"a\"\n",
            "p.toml:2: ranks must be a number, a list of numbers, or \"gpus\""},
        Bad{"NoRepetition", "[[scenario]]\nrun = \"a\"\nrepeat = 0\n",
            "p.toml:4: repeat must be a whole number from 1 to"},
        Bad{"WrongType", "[[scenario]]\nrun = \"a\"\nneeded = \"yes\"\n",
            "p.toml:4: needed must be true or false, not a text"},
        Bad{"DurationWithoutUnit", "[[soak]]\nfor = \"10\"\n",
            "p.toml:3: \"10\" is not a duration"},
        Bad{"SoakLongerThanItsLimit", "[[soak]]\nrun = \"a\"\nfor = \"10min\"\n",
            "p.toml:4: a soak of 600 s does not fit into its check's limit of 300 s; give it"},
        Bad{"UpsideDown", "[[scaling]]\nranks = 2\nspeed_up = [1.9, 1.8]\n",
            "p.toml:4: the range 1.9 to 1.8 is upside down"},
        Bad{"OneNumber", "[[scaling]]\nranks = 2\nspeed_up = 1.8\n",
            "p.toml:4: [[scaling]] needs speed_up = [least, usual]"},
        Bad{"PastWaiver",
            "[[scenario]]\nrun = \"a\"\n[[waiver]]\ncheck = \"a/*\"\nreason = \"r\"\n"
            "until = 2026-11-20\n",
            "p.toml:4: the waiver of a/* ended on 2026-11-20; renew it, or remove it"},
        Bad{"WaiverForEver",
            "[[scenario]]\nrun = \"a\"\n[[waiver]]\ncheck = \"a\"\nreason = \"r\"\n",
            "p.toml:4: [[waiver]] lacks the key until"},
        Bad{"WaiverWithoutReason",
            "[[scenario]]\nrun = \"a\"\n[[waiver]]\ncheck = \"a\"\nuntil = 2027-01-01\n",
            "p.toml:4: [[waiver]] lacks the key reason"},
        Bad{"DateInQuotes",
            "[[scenario]]\nrun = \"a\"\n[[waiver]]\ncheck = \"a\"\nreason = \"r\"\n"
            "until = \"2027-01-01\"\n",
            "p.toml:7: until must be a date without quotation marks, like 2027-01-31"},
        Bad{"NoTicket", "[[scenario]]\nrun = \"a\"\n[[expected_failure]]\ncheck = \"a\"\n",
            "p.toml:4: [[expected_failure]] lacks the key ticket"},
        Bad{"BrokenToml", "[[scenario]\nrun = \"a\"\n", "p.toml:2: this is not TOML: "},
        Bad{"OpenText", "limit = \"1h\n", "p.toml:2: this is not TOML: "},
        Bad{"TwiceTheKey", "limit = \"1h\"\nlimit = \"2h\"\n", "p.toml:3: this is not TOML: "},
        Bad{"Nothing", "", "p.toml:1: the profile has no check"},
        Bad{"NoRun", "[[scenario]]\nrepeat = 2\n", "p.toml:2: [[scenario]] lacks the key run"},
        Bad{"EmptyList", "[[scenario]]\nrun = []\n", "p.toml:3: run is an empty list"}),
    [](const auto& bad) { return bad.param.name; });

TEST(Profile, ATodaysWaiverStillHolds) {
  const std::string text = std::string("summary = \"s\"\n") + kSome +
                           "[[waiver]]\ncheck = \"a\"\nreason = \"r\"\nuntil = 2026-11-21\n";
  EXPECT_EQ(parse_profile(text, "p.toml", kReadOn).waivers.size(), 1U);
}

TEST(Profile, WithoutASummaryItIsNone) {
  EXPECT_THROW(parse_profile(kSome, "p.toml", kReadOn), UsageError);
}

}  // namespace
}  // namespace gridlock::accept
