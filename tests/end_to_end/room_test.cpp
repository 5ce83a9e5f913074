// A program that is healthy by NCCL's guide does not depend on how many collectives fit on a GPU at
// the same time. Runs fixes and controls with several communicators on devices with room for one
// operation.
#include <gtest/gtest.h>

#include "tests/end_to_end/command.h"

namespace gridlock::end_to_end {
namespace {

TEST(Room, OneOrderOfCommunicatorsNeedsRoomForOneOperationOnly) {
  const Folder folder;
  const std::vector<std::string> variants{
      "stray_synchronize/plain_loop",
      "stray_synchronize/same_order",
      "stray_synchronize/sync_nothing_pending",
      "implicit_synchronize/same_order",
      "implicit_synchronize/free_in_same_order",
      "interleaved_communicators/same_order",
      "interleaved_communicators/host_order",
      "overlapping_groups/overlapping_lowest_first",
      "grid_groups/grid_rows_crossed",
      "grid_groups/grid_same_order",
      "collective_and_p2p/collective_first",
      "second_thread/own_communicator_on_all_ranks",
      "rank_zero_branch/metric_outside",
      "destroy_order/destroyed_in_same_order",
  };
  std::vector<std::string> arguments{"run", "--backend", "sim", "--json", "results.json"};
  arguments.insert(arguments.end(), variants.begin(), variants.end());
  const Done done = gridlock(arguments, folder, {{"GRIDLOCK_SIM_ROOM", "1"}});
  EXPECT_EQ(done.code, 0) << done.output;
  const auto results = read_json(folder.path() / "results.json");
  ASSERT_EQ(results.at("runs").size(), variants.size());
  for (const auto& run : results.at("runs")) {
    EXPECT_EQ(run.at("outcome"), "completes") << run.dump(1);
  }
}

}  // namespace
}  // namespace gridlock::end_to_end
