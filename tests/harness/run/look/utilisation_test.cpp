// Samples of GPUs, by rank.
#include "harness/run/look/utilisation.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

constexpr const char* kTwoGpus = R"([
  {"gpu_percent":100,"memory_percent":1,"memory_mib":900,
   "processes":[{"pid":10,"memory_mib":500,"sm_percent":97},{"pid":11,"memory_mib":400,"sm_percent":3}]},
  {"gpu_percent":42,"memory_percent":1,"memory_mib":300,
   "processes":[{"pid":12,"memory_mib":300,"sm_percent":null}]}])";

TEST(Utilisation, IsFoundByProcess) {
  const GpuFigures figures = parse_loads(kTwoGpus, {11, 10});
  EXPECT_EQ(figures.at("gpu_utilisation_percent"), (std::vector<double>{3, 97}));
  EXPECT_EQ(figures.at("gpu_memory_mib"), (std::vector<double>{400, 500}));
}

TEST(Utilisation, AProcessAloneHasItsGpusFigure) {
  EXPECT_EQ(parse_loads(kTwoGpus, {12}).at("gpu_utilisation_percent"), std::vector<double>{42});
}

TEST(Utilisation, WhatIsNotKnownOfAllRanksIsLeftOut) {
  EXPECT_TRUE(parse_loads(kTwoGpus, {10, 99}).empty());
  const GpuFigures figures = parse_loads(
      R"([{"gpu_percent":7,"processes":[{"pid":1,"memory_mib":null},{"pid":2,"memory_mib":5}]}])",
      {1, 2});
  EXPECT_TRUE(figures.empty());
}

TEST(Utilisation, DamageIsNoFigure) {
  for (const char* bad : {"", "[", "{}", "[null]", "[3]", "[{}]"}) {
    EXPECT_TRUE(parse_loads(bad, {1}).empty()) << bad;
  }
  EXPECT_TRUE(parse_loads(kTwoGpus, {}).empty());
}

}  // namespace
}  // namespace gridlock::run
