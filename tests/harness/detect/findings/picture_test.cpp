// Who waits for whom, drawn from hand-written states.
#include "harness/detect/findings/picture.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {
namespace {

WaitPicture picture(World& world) {
  const std::vector<record::Snapshot> snapshots = world.snapshots();
  Ledger ledger;
  ledger.add(snapshots);
  return picture_of(snapshots, world.parameters, ledger, world.verdict());
}

const WaitPicture::Node* culprit(const WaitPicture& picture) {
  const auto found = std::find_if(picture.nodes.begin(), picture.nodes.end(),
                                  [](const WaitPicture::Node& node) { return node.culprit; });
  return found == picture.nodes.end() ? nullptr : &*found;
}

TEST(WaitPicture, FoldsThoseWhoWaitForTheSame) {
  World world(4);
  for (Rank* rank : world.some(0, 2)) rank->all_reduce("loss").stream_synchronize();
  world[3].exit(0);
  const WaitPicture drawn = picture(world);
  ASSERT_EQ(drawn.nodes.size(), 2U);
  EXPECT_EQ(drawn.nodes[0].ranks, (std::vector<int>{0, 1, 2}));
  ASSERT_NE(culprit(drawn), nullptr);
  EXPECT_EQ(culprit(drawn)->ranks, std::vector<int>{3});
  ASSERT_EQ(drawn.edges.size(), 1U);
  EXPECT_TRUE(drawn.edges[0].matters);
  EXPECT_EQ(drawn.edges[0].kind, WaitPicture::Kind::absent);
  EXPECT_EQ(drawn.edges[0].at.label, "loss");
}

TEST(WaitPicture, ShowsACallThatDoesNotFit) {
  World world(4);
  for (Rank* rank : world.some(0, 2)) rank->all_reduce("loss").stream_synchronize();
  world[3].broadcast("weights").stream_synchronize();
  const WaitPicture drawn = picture(world);
  const auto odd = std::find_if(
      drawn.edges.begin(), drawn.edges.end(),
      [](const WaitPicture::Edge& edge) { return edge.kind == WaitPicture::Kind::differs; });
  ASSERT_NE(odd, drawn.edges.end());
  EXPECT_TRUE(drawn.nodes[odd->to].culprit);
  EXPECT_FALSE(drawn.nodes[odd->from].culprit);
}

// Each waits in the operation that the other has enqueued after its own, so the two must not be
// drawn as one group.
TEST(WaitPicture, KeepsTheRanksOfACycleApart) {
  World world(2);
  for (Rank& rank : world.ranks()) rank.join("one", rank.box.rank, 2).join("two", rank.box.rank, 2);
  world[0].in("one").all_reduce("a").in("two").all_reduce("b").stream_synchronize();
  world[1].in("two").all_reduce("b").in("one").all_reduce("a").stream_synchronize();
  const WaitPicture drawn = picture(world);
  ASSERT_EQ(drawn.nodes.size(), 2U);
  const auto between = [&](std::size_t from, std::size_t to) {
    return std::any_of(drawn.edges.begin(), drawn.edges.end(), [&](const auto& edge) {
      return edge.from == from && edge.to == to && edge.matters &&
             edge.kind == WaitPicture::Kind::queued;
    });
  };
  EXPECT_TRUE(between(0, 1));
  EXPECT_TRUE(between(1, 0));
}

}  // namespace
}  // namespace gridlock::detect::states
