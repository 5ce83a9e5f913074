// The field itself: names, wires, cuts, delays, and MPI started on it as on real hosts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>

#include "tests/nodes/job.h"
#include "tests/nodes/program.h"

namespace gridlock::nodes {
namespace {

// A ping without a ping program: the second host answers one connection.
std::optional<double> round_trip_ms(const Field& field) {
  const Command measure{GRIDLOCK_NODES_PROGRAMS "/echo"};
  Job answer(field, 1, {measure[0], "answer"});
  if (!wait_until([&] { return answer.says("ready"); })) return {};
  Job ask(field, 0, {measure[0], "ask", Field::name(1)});
  if (ask.finish(Limit(5000)) != 0) return {};
  return std::stod(ask.output());
}

std::vector<Stranger> ranks_of(const Field& field) {
  std::vector<Stranger> all = strangers(field, "mpi_hello wait");
  std::erase_if(all, [](const Stranger& process) {
    return process.command.find("mpiexec.hydra") != std::string::npos;
  });
  return all;
}

class TheField : public NodesTest {};

TEST_F(TheField, HostsHaveNamesOfTheirOwn) {
  const Field field(3);
  for (int host = 0; host < 3; ++host) {
    Job name(field, host, {"uname", "-n"});
    EXPECT_EQ(name.finish(), 0);
    EXPECT_EQ(name.output(), Field::name(host) + "\n");
  }
}

TEST_F(TheField, ACutHostIsOutOfReachUntilItIsMended) {
  Field field(2);
  EXPECT_TRUE(round_trip_ms(field));
  field.cut(1);
  EXPECT_FALSE(round_trip_ms(field));
  field.mend(1);
  EXPECT_TRUE(round_trip_ms(field));
}

TEST_F(TheField, ADelayIsOneWayAndIsKept) {
  constexpr std::chrono::microseconds kDelay{1000};
  std::unique_ptr<Field> field;
  try {
    field = std::make_unique<Field>(2, kDelay);
  } catch (const std::runtime_error& error) {
    GTEST_SKIP() << error.what();
  }
  const auto slow = round_trip_ms(*field);
  ASSERT_TRUE(slow);
  EXPECT_GE(*slow, 2.0);
  field->cut(1);
  EXPECT_FALSE(round_trip_ms(*field));
  field->mend(1);
  EXPECT_TRUE(round_trip_ms(*field));
}

TEST_F(TheField, WhatIsLeftOnAHostIsSeen) {
  const Field field(2);
  EXPECT_EQ(to_text(strangers(field)), "");
  Job shell(field, 1, {"sh", "-c", "setsid sleep 1000 & echo $!; wait"});
  ASSERT_TRUE(wait_until([&] { return shell.says("\n"); }));
  const pid_t sleeper = std::stoi(shell.output());
  const std::vector<Stranger> seen = strangers(field);
  ASSERT_EQ(seen.size(), 2U) << to_text(seen);
  EXPECT_EQ(seen[0].host, 1);
  EXPECT_EQ(seen[1].host, 1);
  EXPECT_EQ(std::max(seen[0].pid, seen[1].pid), sleeper);
  kill(sleeper, SIGKILL);
  EXPECT_EQ(shell.finish(), 0);
  EXPECT_TRUE(wait_until([&] { return strangers(field).empty(); })) << to_text(strangers(field));
}

class MpiOn : public NodesTest, public testing::WithParamInterface<int> {};

TEST_P(MpiOn, HostsFindsEachOfThem) {
  if (const std::string why = why_no_mpiexec(); !why.empty()) GTEST_SKIP() << why;
  const int hosts = GetParam();
  const Field field(hosts);
  Job job(field, 0, over_hosts(field, {GRIDLOCK_NODES_PROGRAMS "/mpi_hello"}), only_by_wire());
  EXPECT_EQ(job.finish(), 0) << job.output();
  for (int rank = 0; rank < hosts; ++rank) {
    EXPECT_TRUE(job.says(fmt::format("rank {} of {} on {}, sum {}\n", rank, hosts,
                                     Field::name(rank), hosts * (hosts - 1) / 2)))
        << job.output();
  }
  EXPECT_TRUE(wait_until([&] { return strangers(field).empty(); })) << to_text(strangers(field));
}

INSTANTIATE_TEST_SUITE_P(All, MpiOn, testing::Values(2, 3, 8), testing::PrintToStringParamName());

// Neither MPI nor hydra notices that a host is cut off. That is why agents watch each other
// themselves.
TEST_F(TheField, NeitherMpiNorHydraNoticesACutHost) {
  if (const std::string why = why_no_mpiexec(); !why.empty()) GTEST_SKIP() << why;
  Field field(2);
  Job job(field, 0, over_hosts(field, {GRIDLOCK_NODES_PROGRAMS "/mpi_hello", "wait"}),
          only_by_wire());
  ASSERT_TRUE(wait_until([&] { return job.says("rank 0 of") && job.says("rank 1 of"); }));
  field.cut(1);
  EXPECT_FALSE(job.finish(Limit(500)));
  // The user's signal ends the ranks that it reaches. Whether mpiexec then waits for the lost host
  // differs from run to run.
  kill(job.pid(), SIGTERM);
  EXPECT_TRUE(wait_until([&] { return ranks_of(field).size() == 1; }));
  for (const Stranger& rank : ranks_of(field)) kill(rank.pid, SIGKILL);
}

}  // namespace
}  // namespace gridlock::nodes
