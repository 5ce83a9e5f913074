// Ranks of several agents on the GPUs of one or more machines.
#include "harness/run/start/gpu_share.h"

#include <gtest/gtest.h>

namespace gridlock::run {
namespace {

// GPUs with these names.
catalogue::Gpus gpus(const std::vector<std::string>& uuids) {
  catalogue::Gpus gpus;
  for (const std::string& uuid : uuids) gpus.devices.push_back({"H200", uuid, "s" + uuid});
  gpus.count = static_cast<int>(uuids.size());
  return gpus;
}

using Split = std::vector<int>;

TEST(GpuShare, CountsWhatTwoAgentsSeeOnce) {
  const std::vector<catalogue::Gpus> agents{gpus({"a", "b"}), gpus({"a", "b"}), gpus({"c"})};
  const catalogue::Gpus all = together(agents);
  EXPECT_EQ(all.count, 3);
  EXPECT_EQ(all.devices[2].serial, "sc");
  EXPECT_EQ(all.fault, "");
}

TEST(GpuShare, KeepsTheFirstFault) {
  std::vector<catalogue::Gpus> agents{gpus({"a"}), gpus({}), gpus({})};
  agents[1].fault = "agent 1 on b: there is no driver";
  agents[2].fault = "agent 2 on c: there is no driver";
  agents[2].is_broken = true;
  const catalogue::Gpus all = together(agents);
  EXPECT_EQ(all.count, 1);
  EXPECT_EQ(all.fault, "agent 1 on b: there is no driver");
  EXPECT_TRUE(all.is_broken);
}

TEST(GpuShare, GivesEachRankAGpuOfItsOwnWhileThereAreSome) {
  const std::vector<catalogue::Gpus> uneven{gpus({"a"}), gpus({"b", "c", "d"})};
  EXPECT_EQ(split_by_gpus(4, uneven), (Split{1, 3}));
  EXPECT_EQ(split_by_gpus(3, uneven), (Split{1, 2}));
  EXPECT_EQ(split_by_gpus(2, uneven), (Split{1, 1}));
  EXPECT_EQ(split_by_gpus(5, uneven), Split{});
  // Agents on one machine, which all see all GPUs.
  const std::vector<catalogue::Gpus> alike{gpus({"a", "b", "c", "d"}), gpus({"a", "b", "c", "d"})};
  EXPECT_EQ(split_by_gpus(4, alike), (Split{2, 2}));
  EXPECT_EQ(split_by_gpus(3, alike), (Split{2, 1}));
  EXPECT_EQ(split_by_gpus(5, alike), Split{});
  const std::vector<catalogue::Gpus> none{gpus({}), gpus({"a"})};
  EXPECT_EQ(split_by_gpus(1, none), (Split{0, 1}));
}

TEST(GpuShare, KnowsWhoMeetsOnAGpu) {
  const auto meet = [](int ranks, const Split& split, const std::vector<std::string>& hosts,
                       const std::vector<catalogue::Gpus>& agents) {
    return meet_on_a_gpu(divide(ranks, split, hosts), agents);
  };
  const catalogue::Gpus four = gpus({"a", "b", "c", "d"});
  // LOCAL_RANK counts on from agent to agent if they share a machine.
  EXPECT_FALSE(meet(4, {1, 3}, {"x", "x"}, {four, four}));
  EXPECT_TRUE(meet(5, {1, 4}, {"x", "x"}, {four, four}));
  EXPECT_FALSE(meet(5, {1, 4}, {"x", "y"}, {gpus({"e"}), four}));
  EXPECT_TRUE(meet(4, {}, {"x", "y"}, {gpus({"e"}), four}));
  // A launcher that shows each agent its own GPU.
  EXPECT_FALSE(meet(2, {}, {"x", "x"}, {gpus({"a"}), gpus({"b"})}));
  EXPECT_TRUE(meet(2, {}, {"x", "y"}, {gpus({}), gpus({"b"})}));
}

TEST(GpuShare, NamesTheGpuOfARank) {
  const auto shares = divide(4, {1, 3}, {"x", "x"});
  const catalogue::Gpus first = gpus({"a"});
  const catalogue::Gpus second = gpus({"b", "c", "d"});
  EXPECT_EQ(gpu_of(0, shares[0], first)->uuid, "a");
  EXPECT_EQ(gpu_of(1, shares[1], second)->uuid, "c");  // LOCAL_RANK 1
  EXPECT_EQ(gpu_of(3, shares[1], second)->uuid, "b");
  EXPECT_EQ(gpu_of(0, shares[0], gpus({})), nullptr);
}

}  // namespace
}  // namespace gridlock::run
