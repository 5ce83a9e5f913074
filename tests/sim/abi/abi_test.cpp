// Constants, sizes, layouts and signatures of the simulation's headers equal the vendor's, so that
// one binary (the recorder) serves both back ends.
#include <gtest/gtest.h>

#include "tests/sim/abi/describe.h"

namespace {

TEST(Abi, TheSimulationsHeadersAreTheVendors) {
  const headers::Table simulated = headers::simulated();
  const headers::Table vendor = headers::vendor();
  if (vendor.empty()) GTEST_SKIP() << "the installed CUDA toolkit is not version 13.0";
  ASSERT_EQ(simulated.size(), vendor.size());
  ASSERT_FALSE(simulated.empty());
  for (std::size_t i = 0; i < simulated.size(); ++i) {
    EXPECT_EQ(simulated[i].second, vendor[i].second) << simulated[i].first;
  }
}

}  // namespace
