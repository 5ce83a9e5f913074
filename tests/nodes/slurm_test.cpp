// The agents under a real Slurm, whose daemons run on the hosts of a field.
#include "tests/nodes/slurm.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/nodes/program.h"
#include "tests/nodes/results.h"
#include "tests/nodes/trial.h"

namespace gridlock::nodes {
namespace {

class UnderSlurm : public NodesTest {
 protected:
  void SetUp() override {
    NodesTest::SetUp();
    if (const std::string why = why_no_slurm(); !IsSkipped() && !why.empty()) GTEST_SKIP() << why;
    forget_noted();
  }
};

TEST_F(UnderSlurm, MpichFindsEachHost) {
  const Field field(2);
  const Slurm slurm(field);
  Job job(field, 0, slurm.over_hosts({GRIDLOCK_NODES_PROGRAMS "/mpi_hello"}), Slurm::environment());
  EXPECT_EQ(job.finish(), 0) << job.output();
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_TRUE(job.says(fmt::format("rank {} of 2 on {}, sum 1\n", rank, Field::name(rank))))
        << job.output();
  }
}

TEST_F(UnderSlurm, TheCatalogueRunsOverAllHosts) {
  const Field field(2);
  const Slurm slurm(field);
  Job job(field, 0, slurm.over_hosts(noted(run_of({"uneven_batches"}, "out"))),
          Slurm::environment());
  EXPECT_EQ(job.finish(), 0) << job.output();
  EXPECT_EQ(noted_status(0), 0) << job.output();
  EXPECT_EQ(noted_status(1), 0) << job.output();
  const nlohmann::json all = results("out");
  ASSERT_TRUE(all.is_object());
  EXPECT_GE(all.at("runs").size(), 8U);
  for (const auto& run : all.at("runs")) EXPECT_EQ(run.at("as_declared"), true) << run.dump(1);
  EXPECT_TRUE(wait_until([&] { return ours(field).empty(); })) << to_text(ours(field));
}

TEST_F(UnderSlurm, ACutHostEndsTheRunWithThree) {
  Field field(2);
  const Slurm slurm(field);
  Job job(field, 0,
          slurm.over_hosts(noted({GRIDLOCK_PROGRAM, "watch", "-n", "2", "--stall-limit", "1h",
                                  "--output", out("watch").string(), "--", kEndless})),
          Slurm::environment());
  ASSERT_TRUE(wait_until([&] { return job.says("[rank 0] adds up"); })) << job.output();
  field.cut(1);
  EXPECT_TRUE(wait_until([&] { return noted_status(0).has_value(); })) << job.output();
  EXPECT_EQ(noted_status(0), 3) << job.output();
  EXPECT_TRUE(wait_until([&] { return ours(field).empty(); })) << to_text(ours(field));
}

}  // namespace
}  // namespace gridlock::nodes
