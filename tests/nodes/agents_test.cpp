// The catalogue over several hosts: the same verdicts as on one host, one folder of results, and a
// rank that dies on another host.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "tests/nodes/job.h"
#include "tests/nodes/program.h"
#include "tests/nodes/results.h"
#include "tests/nodes/trial.h"

namespace gridlock::nodes {
namespace {

using nlohmann::json;

class Agents : public NodesTest {
 protected:
  void SetUp() override {
    NodesTest::SetUp();
    if (const std::string why = why_no_mpiexec(); !IsSkipped() && !why.empty()) GTEST_SKIP() << why;
    forget_noted();
  }
};

// One deadlock, stall, error, mismatch and completion of every quick kind.
const Command kShare{"uneven_batches", "collective_mismatch", "rank_crash",
                     "interleaved_communicators", "send_recv_order"};

TEST_F(Agents, OfTwoHostsSeeWhatOneSees) {
  const Field field(2);
  Job one(field, 0, run_of(kShare, "one"));
  EXPECT_EQ(one.finish(), 0) << one.output();
  Job two(field, 0, over_hosts(field, noted(run_of(kShare, "two"))), only_by_wire());
  EXPECT_TRUE(two.finish()) << "mpiexec goes on:\n" << two.output();
  EXPECT_EQ(noted_status(0), 0) << two.output();
  const std::multiset<std::string> expected = verdicts(results("one"));
  EXPECT_GT(expected.size(), 20U);
  EXPECT_EQ(verdicts(results("two")), expected);
  EXPECT_TRUE(wait_until([&] { return strangers(field).empty(); })) << to_text(strangers(field));
}

class AgentsOn : public Agents, public testing::WithParamInterface<int> {};

TEST_P(AgentsOn, HostsShareTheRanks) {
  const int hosts = GetParam();
  const Field field(hosts);
  Job job(field, 0,
          over_hosts(field, noted(run_of({"uneven_batches", "-n", std::to_string(hosts)}, "all"))),
          only_by_wire());
  EXPECT_TRUE(job.finish()) << "mpiexec goes on:\n" << job.output();
  EXPECT_EQ(noted_status(0), 0) << job.output();
  const json all = results("all");
  ASSERT_TRUE(all.is_object());
  EXPECT_GE(all.at("runs").size(), 8U);
  for (const json& run : all.at("runs")) {
    EXPECT_EQ(run.at("as_declared"), true) << run.dump(1);
    EXPECT_EQ(run.at("ranks"), hosts);
  }
  EXPECT_TRUE(wait_until([&] { return strangers(field).empty(); })) << to_text(strangers(field));
}

INSTANTIATE_TEST_SUITE_P(All, AgentsOn, testing::Values(2, 3, 8),
                         testing::PrintToStringParamName());

// The process of a job's rank `rank`, on whichever host it is.
pid_t process_of(const Field& field, int rank) {
  for (const Stranger& process : strangers(field)) {
    const bool is_rank = process.command.starts_with(kEndless + " ");
    if (is_rank && variable_of(process.pid, "RANK") == std::to_string(rank)) return process.pid;
  }
  return 0;
}

TEST_F(Agents, BlameARankThatIsKilledOnAnotherHost) {
  const Field field(2);
  Job job(field, 0,
          over_hosts(field, noted({GRIDLOCK_PROGRAM, "watch", "-n", "4", "--output",
                                   out("watch").string(), "--", kEndless})),
          only_by_wire());
  ASSERT_TRUE(wait_until([&] { return job.says("[rank 0] adds up"); })) << job.output();
  const pid_t victim = process_of(field, 3);
  ASSERT_GT(victim, 0);
  EXPECT_EQ(field.host_of(victim), 1);
  kill(victim, SIGKILL);
  EXPECT_TRUE(job.finish()) << "mpiexec goes on:\n" << job.output();
  EXPECT_EQ(noted_status(0), 1) << job.output();
  const json run = results("watch").at("runs").at(0);
  EXPECT_EQ(run.at("outcome"), "deadlock") << run.dump(1);
  EXPECT_EQ(run.at("cause"), "rank_exited") << run.dump(1);
  EXPECT_EQ(run.at("culprits"), json::array({3})) << run.dump(1);
  EXPECT_EQ(run.at("waiting").at(0).at("operation"), "all_reduce") << run.dump(1);
  EXPECT_TRUE(wait_until([&] { return strangers(field).empty(); })) << to_text(strangers(field));
}

// The ranks of host 0 sleep at connections to host 1, and the other way round.
class AgentsAtAStore : public Agents {
 protected:
  json watch(const Field& field, const std::string& ranks, const std::string& what) {
    Job job(field, 0,
            over_hosts(field, noted({GRIDLOCK_PROGRAM, "watch", "-n", ranks, "--output",
                                     out(what).string(), "--", kStore, what})),
            only_by_wire());
    EXPECT_TRUE(job.finish()) << "mpiexec goes on:\n" << job.output();
    json run = results(what).at("runs").at(0);
    EXPECT_TRUE(wait_until([&] { return strangers(field).empty(); })) << to_text(strangers(field));
    return run;
  }
};

TEST_F(AgentsAtAStore, ProveADeadlockThroughConnectionsBetweenHosts) {
  const Field field(2);
  const json run = watch(field, "2+2", "extra_batch");
  EXPECT_EQ(run.at("outcome"), "deadlock") << run.dump(1);
  EXPECT_EQ(run.at("cause"), "cycle") << run.dump(1);
  EXPECT_EQ(run.at("culprits"), json::array({0, 1, 2, 3})) << run.dump(1);
  EXPECT_EQ(run.at("assumptions"), json::array()) << run.dump(1);
}

TEST_F(AgentsAtAStore, WaitForAProcessOnTheOtherHostThatSharesAConnection) {
  const Field field(2);
  const json run = watch(field, "3+1", "helper");
  EXPECT_EQ(run.at("outcome"), "completes") << run.dump(1);
}

// The kernel there may still write for the only rank of that host, which waits.
TEST_F(AgentsAtAStore, WaitForTheKernelOfTheOtherHost) {
  const Field field(2);
  const json run = watch(field, "3+1", "ring");
  EXPECT_EQ(run.at("outcome"), "completes") << run.dump(1);
}

class LostAgent : public Agents, public testing::WithParamInterface<Fault> {};

TEST_P(LostAgent, EndsTheRunOnAllHosts) {
  const Trial trial{.fault = GetParam(), .hosts = 3, .victim = 2};
  const Outcome outcome = run_trial(trial);
  ASSERT_EQ(outcome.spoilt, "");
  EXPECT_TRUE(told(trial, outcome)) << outcome.code.value_or(-1) << to_text(outcome.left) << "\n"
                                    << outcome.output;
}

INSTANTIATE_TEST_SUITE_P(All, LostAgent,
                         testing::Values(Fault::cut, Fault::kill_agent, Fault::kill_guard),
                         [](const auto& which) { return to_string(which.param); });

// The agents that must end the soak are busy stopping ranks and letting them go on.
TEST_F(Agents, EndASoakOnAllHostsWhenOneIsCutOff) {
  Field field(3);
  Job job(field, 0,
          over_hosts(field, noted({GRIDLOCK_PROGRAM, "soak", "--for", "1h", "--backend", "sim",
                                   "--output", out("soak").string(), "uneven_batches"})),
          only_by_wire());
  const auto has_rank = [&] {
    const std::vector<Stranger> ranks = strangers(field, "/scenarios/");
    return std::any_of(ranks.begin(), ranks.end(),
                       [](const Stranger& rank) { return rank.host == 2; });
  };
  // When a rank appears for the second time, one run is complete.
  ASSERT_TRUE(wait_until(has_rank)) << job.output();
  ASSERT_TRUE(wait_until([&] { return !has_rank(); })) << job.output();
  ASSERT_TRUE(wait_until(has_rank)) << job.output();
  field.cut(2);
  EXPECT_TRUE(wait_until([&] { return noted_status(0) == 3; })) << job.output();
  EXPECT_TRUE(wait_until([&] { return job.says("agent 2 on node2 is lost"); })) << job.output();
  EXPECT_TRUE(wait_until([&] { return ours(field).empty(); })) << to_text(ours(field));
  const json soak = json::parse(std::ifstream(out("soak") / "soak.json"), nullptr, false);
  ASSERT_TRUE(soak.is_object());
  EXPECT_EQ(soak.at("total").at("runs"), soak.at("total").at("as_declared")) << soak.dump(1);
  EXPECT_GE(soak.at("total").at("runs"), 1) << soak.dump(1);
  EXPECT_NE(soak.at("ended").get<std::string>().find("is lost"), std::string::npos) << soak.dump(1);
}

// Agents also end if agent 0's own wire is cut.
TEST_F(Agents, EndWhenAgentZeroIsOutOfReach) {
  const Outcome outcome = run_trial({.fault = Fault::cut, .hosts = 3, .victim = 0});
  ASSERT_EQ(outcome.spoilt, "");
  EXPECT_EQ(outcome.code, 3) << outcome.output;
  EXPECT_EQ(to_text(outcome.left), "");
}

}  // namespace
}  // namespace gridlock::nodes
