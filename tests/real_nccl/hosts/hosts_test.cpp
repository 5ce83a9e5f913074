// The real NCCL on two hosts, which are network namespaces: NCCL sees two nodes, its values are
// right, and a hang gets the verdict that it gets on one host.
#include <gtest/gtest.h>

#include "tests/nodes/job.h"
#include "tests/nodes/program.h"
#include "tests/nodes/results.h"
#include "tests/real_nccl/real_nccl.h"

namespace gridlock::real_nccl {
namespace {

// The first call of a collective compiles its kernel.
constexpr nodes::Limit kWithCompilations{120'000};

class RealNcclHosts : public nodes::NodesTest {
 protected:
  void SetUp() override {
    NodesTest::SetUp();
    if (IsSkipped()) return;
    GRIDLOCK_NEEDS_REAL_NCCL();
    if (const std::string why = nodes::why_no_mpiexec(); !why.empty()) GTEST_SKIP() << why;
    nodes::forget_noted();
  }
};

// `gridlock`, an agent on each host, until its end. Returns what it and its ranks said.
std::string run(const nodes::Field& field, const nodes::Command& arguments,
                const Environment& extra = {}) {
  nodes::Command command{GRIDLOCK_PROGRAM};
  command.insert(command.end(), arguments.begin(), arguments.end());
  Environment environment = nodes::only_by_wire();
  environment["NCCL_SOCKET_IFNAME"] = "eth0";  // the default, lo, does not lead to the other host
  environment.insert(extra.begin(), extra.end());
  nodes::Job job(field, 0, nodes::over_hosts(field, nodes::noted(command)), environment);
  EXPECT_TRUE(job.finish(kWithCompilations)) << "mpiexec goes on:\n" << job.output();
  EXPECT_EQ(nodes::noted_status(0), 0) << job.output();
  return job.output();
}

std::size_t count_of(const std::string& text, const std::string& words) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(words, at)) != std::string::npos; ++at) ++count;
  return count;
}

struct Way {
  const char* name;
  std::string sees;
  Environment environment;
};

// With neither peers nor shared memory, NCCL takes each rank for a node.
const Way kWays[] = {
    {"as_it_chooses", "nNodes 2 localRanks 2", {}},
    {"tree", "nNodes 2 localRanks 2", {{"NCCL_ALGO", "allreduce:tree"}}},
    {"sockets", "nNodes 4 localRanks 1", {{"NCCL_P2P_DISABLE", "1"}, {"NCCL_SHM_DISABLE", "1"}}},
};

class Ways : public RealNcclHosts, public testing::WithParamInterface<std::size_t> {};

TEST_P(Ways, AllValuesAreRight) {
  const nodes::Field field(2);
  const Way& way = kWays[GetParam()];
  Environment environment = way.environment;
  environment["NCCL_DEBUG"] = "INFO";
  const std::string output =
      run(field,
          {"watch", "--nccl", GRIDLOCK_NCCL, "-n", "4", "--output", nodes::out("watch").string(),
           "--", std::string(GRIDLOCK_PROGRAMS) + "/collectives", "1", "1000", "40000"},
          environment);
  EXPECT_NE(output.find("all values are right"), std::string::npos) << output;
  EXPECT_EQ(count_of(output, "nRanks 4 " + way.sees), 4U) << output;
  EXPECT_GT(count_of(output, "[send] via NET/Socket"), 0U) << output;
}

INSTANTIATE_TEST_SUITE_P(Real, Ways, testing::Range(std::size_t{0}, std::size(kWays)),
                         [](const auto& way) { return std::string(kWays[way.param].name); });

// One variant of each named scenario that hangs, with the outcome. The declaration alone would
// also accept a stall, and a NCCL that cannot connect its hosts stalls.
const std::map<std::string, std::string> kHangs{
    {"uneven_batches/peers_leave", "deadlock (rank_exited)"},
    {"interleaved_communicators/one_stream_crossed", "deadlock (cycle)"},
    {"stray_synchronize/sync_as_probe", "deadlock (missing_rank)"},
    {"sync_batchnorm_stall/eval_on_one_rank", "deadlock (mismatch)"},
};

// The rank that leaves may take with it what its host has yet to send of the collective before.
// Then the others hang there, nobody is missing, and the verdict has to say so.
bool has_lost_data(const nlohmann::json& run) {
  const std::string told = run.at("explanation");
  return run.at("variant") == "peers_leave" && run.at("outcome") == "stall" &&
         run.at("cause") == "rank_exited" && run.at("culprits") == std::vector{3} &&
         told.find("All 4 ranks had come there.") != std::string::npos;
}

TEST_F(RealNcclHosts, HangsAreProvenAcrossThem) {
  const nodes::Field field(2);
  nodes::Command command{
      "run", "--nccl", GRIDLOCK_NCCL, "-n", "4", "--output", nodes::out("hangs").string()};
  for (const auto& [name, outcome] : kHangs) command.push_back(name);
  const std::string output = run(field, command);
  const nlohmann::json runs = nodes::results("hangs").at("runs");
  ASSERT_EQ(runs.size(), kHangs.size()) << output;
  for (const nlohmann::json& one : runs) {
    const std::string name =
        one.at("scenario").get<std::string>() + "/" + one.at("variant").get<std::string>();
    const std::string outcome =
        one.at("outcome").get<std::string>() + " (" + one.at("cause").get<std::string>() + ")";
    if (has_lost_data(one)) continue;
    EXPECT_EQ(outcome, kHangs.at(name)) << name << ": " << one.dump(1);
  }
  EXPECT_TRUE(nodes::wait_until([&] { return nodes::strangers(field).empty(); }))
      << nodes::to_text(nodes::strangers(field));
}

}  // namespace
}  // namespace gridlock::real_nccl
