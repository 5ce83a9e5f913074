// Ranks that use MPI, started by mpiexec. Skipped if MPICH is missing.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/end_to_end/command.h"

namespace gridlock::end_to_end {
namespace {

const std::string kScenario = GRIDLOCK_BUILD "/scenarios/sim/mpi_barrier";

#ifdef __SANITIZE_THREAD__  // the sanitizer has its own thread, which records nothing
constexpr bool kAllThreadsAreOurs = false;
#else
constexpr bool kAllThreadsAreOurs = true;
#endif

class Mpi : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_mpi(); !why.empty()) GTEST_SKIP() << why;
  }
  const Folder folder_;
};

TEST_F(Mpi, AScenarioThatDeclaresItIsStartedByMpiexec) {
  const Done done = gridlock({"run", "--backend", "sim", "mpi_barrier/barrier_*",
                              "mpi_receive/receive_*", "-n", "2,3", "--json", "out.json"},
                             folder_);
  EXPECT_EQ(done.code, 0) << done.output;
  const auto runs = read_json(folder_.path() / "out.json").at("runs");
  ASSERT_EQ(runs.size(), 14U);
  for (const auto& run : runs) {
    EXPECT_EQ(run.at("score"), 5) << run;
    // A proof needs no assumption, because every wait is recorded.
    EXPECT_TRUE(!kAllThreadsAreOurs || run.at("assumptions").empty()) << run;
    if (run.at("outcome") != "completes") continue;
    EXPECT_EQ(run.at("numbers_checked"), true) << run;
    EXPECT_TRUE(run.at("step_time_us").is_number()) << run;
  }
}

TEST_F(Mpi, WatchShowsTheCircleThroughBothLibraries) {
  const Done done = gridlock({"watch", "-n", "2", "--launcher", "mpiexec", "--json", "out.json",
                              "--", kScenario, "barrier_on_either_side"},
                             folder_);
  EXPECT_EQ(done.code, 1) << done.output;
  const auto run = read_json(folder_.path() / "out.json").at("runs").at(0);
  EXPECT_EQ(run.at("outcome"), "deadlock");
  EXPECT_EQ(run.at("cause"), "cycle");
  ASSERT_EQ(run.at("waiting").size(), 2U);
  EXPECT_EQ(run.at("waiting").at(0).at("operation"), "mpi_barrier");
  EXPECT_EQ(run.at("waiting").at(0).at("communicator"), "MPI_COMM_WORLD");
  EXPECT_EQ(run.at("waiting").at(1).at("operation"), "all_reduce");
  EXPECT_EQ(run.at("waiting").at(1).at("host_call"), "stream_synchronize");
}

TEST_F(Mpi, WatchSeesAProgramThatCompletes) {
  const Done done = gridlock({"watch", "-n", "2", "--launcher", "mpiexec", "--json", "out.json",
                              "--", kScenario, "reduction_first"},
                             folder_);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_EQ(read_json(folder_.path() / "out.json").at("runs").at(0).at("outcome"), "completes");
}

// A healthy program is never called dead, however its calls pair.
TEST_F(Mpi, AHealthyProgramOfRandomCallsEnds) {
  for (const char* seed : {"1", "2", "3"}) {
    for (const char* ranks : {"3", "4"}) {
      const Done done = gridlock(
          {"watch", "-n", ranks, "--launcher", "mpiexec", "--", program("speaks_mpi"), seed, "100"},
          folder_);
      EXPECT_EQ(done.code, 0) << "seed " << seed << ", " << ranks << " ranks: " << done.output;
    }
  }
}

// MPI's own threads never make a recorded call. The proofs do not assume that they stay silent.
TEST_F(Mpi, StrictProofsAreTheSame) {
  if (!kAllThreadsAreOurs) GTEST_SKIP() << "the thread sanitizer's own thread records nothing";
  const Done done = gridlock({"run", "--backend", "sim", "mpi_barrier/barrier_*",
                              "mpi_receive/receive_*", "--strict", "--json", "out.json"},
                             folder_);
  EXPECT_EQ(done.code, 0) << done.output;
  const auto runs = read_json(folder_.path() / "out.json").at("runs");
  ASSERT_EQ(runs.size(), 7U);
  for (const auto& run : runs) EXPECT_EQ(run.at("score"), 5) << run;
}

// Hangs, wrong numbers and completions, with ranks that use MPI and with others.
TEST_F(Mpi, RanksEndAlikeWithoutTheRecorder) {
  const Done done = gridlock(
      {"run", "--backend", "sim", "--launcher", "mpiexec", "--json", "out.json", "--observer-check",
       "uneven_batches", "mpi_barrier/barrier_*", "mpi_receive/receive_started"},
      folder_);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_NE(done.output.find("observer check: 10 runs end alike"), std::string::npos)
      << done.output;
}

TEST_F(Mpi, WithoutMpiexecItIsSkippedWithTheReason) {
  const Done done = gridlock({"run", "--backend", "sim", "mpi_barrier/barrier_first"}, folder_,
                             {{"PATH", "/nowhere"}});
  EXPECT_EQ(done.code, 77) << done.output;
  EXPECT_NE(done.output.find("needs MPICH's mpiexec"), std::string::npos) << done.output;
}

// The ranks have their own sessions, so killing mpiexec's process group would miss them.
TEST_F(Mpi, AKilledAgentLeavesNoRank) {
  Command command(
      {"run", "--backend", "sim", "mpi_barrier/barrier_first", "-n", "2", "--repeat", "100000"},
      folder_);
  ASSERT_TRUE(command.wait_for("mpi_barrier/barrier_first ("));
  kill(command.agent(), SIGKILL);
  EXPECT_EQ(command.finish().code, 3);
  EXPECT_TRUE(command.all_gone());
}

TEST_F(Mpi, AnotherLauncherIsWrongUsage) {
  const Done done = gridlock({"run", "--launcher", "mpirun"}, folder_);
  EXPECT_EQ(done.code, 2) << done.output;
  EXPECT_NE(done.output.find("there is no launcher \"mpirun\""), std::string::npos) << done.output;
}

}  // namespace
}  // namespace gridlock::end_to_end
