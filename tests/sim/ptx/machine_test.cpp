// Launches as a whole: grids and blocks, parameters, what ends a run early, and where its warps are.
#include "sim/ptx/machine.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/sim/ptx/run.h"

namespace sim::ptx {
namespace {

TEST(PtxMachine, AddsTwoNumbersPerThread) {
  std::vector<std::uint64_t> in(64);
  for (std::size_t n = 0; n < in.size(); ++n) in[n] = n * n;
  const Ran ran = run_lines("ld.global.u64 %rd6, [%rd4]; add.u64 %rd6, %rd6, 5; st.global.u64 [%rd3], %rd6;", in, 64);
  ASSERT_EQ(ran.outcome.kind, Outcome::Kind::kCompleted);
  for (std::size_t n = 0; n < in.size(); ++n) EXPECT_EQ(ran.out[n], n * n + 5);
}

}  // namespace
}  // namespace sim::ptx
