// The network between two simulated hosts fails under the real NCCL.
#include <gtest/gtest.h>

#include "harness/run/start/simulated_hosts.h"
#include "tests/real_nccl/real_nccl.h"

namespace gridlock::real_nccl {
namespace {

class NetworkFault : public testing::Test {
 protected:
  void SetUp() override {
    GRIDLOCK_NEEDS_REAL_NCCL();
    if (const std::string& why = run::SimulatedHosts::why_not(); !why.empty()) GTEST_SKIP() << why;
  }

  // Runs these variants once each. Returns what is in results.json, by variant.
  std::map<std::string, nlohmann::json> run(const std::vector<std::string>& variants) {
    std::vector<std::string> arguments{"run", "--nccl", GRIDLOCK_NCCL, "--json", "results.json"};
    for (const std::string& variant : variants) arguments.push_back("network_fault/" + variant);
    const end_to_end::Done done = end_to_end::gridlock(arguments, folder_);
    EXPECT_EQ(done.code, 0) << done.output;
    std::map<std::string, nlohmann::json> by_variant;
    const nlohmann::json results = end_to_end::read_json(folder_.path() / "results.json");
    for (const auto& one : results.at("runs")) {
      by_variant[one.at("variant")] = one;
    }
    return by_variant;
  }

 private:
  end_to_end::Folder folder_;
};

TEST_F(NetworkFault, TheVerdictNamesTheHostWhoseLinkIsDown) {
  const auto runs = run({"link_down"});
  const nlohmann::json& run = runs.at("link_down");
  EXPECT_EQ(run.at("outcome"), "stall");
  EXPECT_EQ(run.at("cause"), "network");
  EXPECT_EQ(run.at("culprits"), (std::vector{2, 3}));
  const std::string explanation = run.at("explanation");
  EXPECT_NE(explanation.find("the link of node1 is down"), std::string::npos) << explanation;
}

TEST_F(NetworkFault, TheLivingHostGoesOn) {
  const auto runs = run({"go_on_without_the_link", "go_on_without_the_host"});
  EXPECT_EQ(runs.at("go_on_without_the_link").at("outcome"), "fails");
  EXPECT_EQ(runs.at("go_on_without_the_host").at("outcome"), "crashes");
  for (const auto& [name, run] : runs) {
    EXPECT_EQ(run.at("culprits"), (std::vector{2, 3})) << name;
    EXPECT_EQ(run.at("figures").at("ranks_left"), (std::vector{2, 2})) << name;
    EXPECT_EQ(run.at("figures").at("recovery_ms").size(), 2U) << name;
  }
}

TEST_F(NetworkFault, ALinkThatComesBackIsNoHang) {
  const auto runs = run({"back_in_time"});
  EXPECT_EQ(runs.at("back_in_time").at("outcome"), "completes");
  EXPECT_GT(runs.at("back_in_time").at("figures").at("bad_step_ms").at(0), 5000)
      << "it was down for 5 s";
}

TEST_F(NetworkFault, ABadLinkIsNoHang) {
  const auto runs = run({"packets_lost", "slow_link"});
  for (const auto& [name, run] : runs) {
    if (run.at("status") == "skipped") continue;  // the kernel lacks the feature, and says so
    EXPECT_EQ(run.at("outcome"), "completes") << name;
  }
}

}  // namespace
}  // namespace gridlock::real_nccl
