// The box has the number of a pair's messages, however long ago they left the ring.
#include "tests/harness/record/box_fixture.h"

namespace gridlock::record {
namespace {

class Pairs : public BoxTest {
 protected:
  void SetUp() override {
    BoxTest::SetUp();
    put(9, CommunicatorState::ready);
    writer_.put_pair(0, pack_pair(9, 2, false));
    writer_.put_pair(1, pack_pair(9, 2, true));
    for (int i = 0; i < 5000; ++i) writer_.count_message(0);
  }
  void put(std::uint64_t serial, CommunicatorState state) {
    writer_.put(0,
                CommunicatorEntry{.id = 5, .size = 8, .rank = 3, .state = state, .serial = serial});
  }
};

TEST_F(Pairs, AreCountedByDirection) {
  const Communicator shown = look().communicators[0];
  EXPECT_TRUE(shown.counts_messages);
  ASSERT_EQ(shown.messages.size(), 2U);
  EXPECT_EQ(shown.messages[0].peer, 2);
  EXPECT_TRUE(shown.messages[0].sends);
  EXPECT_EQ(shown.messages[0].count, 5000U);
  EXPECT_FALSE(shown.messages[1].sends);
  EXPECT_EQ(shown.messages[1].count, 0U);
}

TEST_F(Pairs, OfAnotherUserOfTheEntryDoNotCount) {
  put(10, CommunicatorState::ready);
  EXPECT_TRUE(look().communicators[0].messages.empty());
  EXPECT_TRUE(look().communicators[0].counts_messages);
}

// The pairs' entries may have been reused since.
TEST_F(Pairs, OfACommunicatorThatIsOverProveNothing) {
  for (const auto state : {CommunicatorState::closed, CommunicatorState::aborted}) {
    put(9, state);
    EXPECT_FALSE(look().communicators[0].counts_messages);
  }
}

TEST_F(Pairs, ThatFoundNoRoomMayHaveHadMessages) {
  box_->header.lost_pairs = 1;
  EXPECT_FALSE(look().communicators[0].counts_messages);
  EXPECT_EQ(look().damage, "");
}

TEST_F(Pairs, ThatAreFreeAreNotShown) {
  writer_.free_pair(0);
  EXPECT_EQ(look().communicators[0].messages.size(), 1U);
}

}  // namespace
}  // namespace gridlock::record
