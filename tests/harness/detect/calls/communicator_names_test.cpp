// Communicators that the program gave no name.
#include "harness/detect/calls/communicator_names.h"

#include <gtest/gtest.h>

namespace gridlock::detect {
namespace {

struct Joined {
  std::uint64_t id;
  const char* name;
  int size;
};

record::Snapshot rank_in(int rank, const std::vector<Joined>& communicators) {
  record::Snapshot snapshot;
  snapshot.rank = rank;
  for (const Joined& joined : communicators) {
    record::Communicator& one = snapshot.communicators.emplace_back();
    one.id = joined.id;
    one.name = joined.name;
    one.size = joined.size;
  }
  return snapshot;
}

TEST(CommunicatorNames, AreThoseThatWereGiven) {
  CommunicatorNames names;
  names.add(rank_in(0, {{7, "world", 1}}));
  EXPECT_EQ(names.name(7), CommunicatorName{.given = "world"});
  EXPECT_EQ(names.name(8), CommunicatorName{});
}

TEST(CommunicatorNames, AreElseTheirRanksAndWhichOfThemItIs) {
  CommunicatorNames names;
  for (const int rank : {1, 0}) {  // whoever is looked at first
    names.add(rank_in(rank, {{30, "", 2}, {20, "", 2}}));
  }
  names.add(rank_in(2, {{40, "", 1}}));
  EXPECT_EQ(names.name(30), (CommunicatorName{.size = 2, .ranks = {0, 1}, .number = 1}));
  EXPECT_EQ(names.name(20), (CommunicatorName{.size = 2, .ranks = {0, 1}, .number = 2}));
  EXPECT_EQ(names.name(40), (CommunicatorName{.size = 1, .ranks = {2}}));
}

TEST(CommunicatorNames, HaveTwoSizesIfTheirMembersDisagree) {
  CommunicatorNames names;
  names.add(rank_in(0, {{30, "", 3}}));
  names.add(rank_in(2, {{30, "", 4}}));
  EXPECT_EQ(names.name(30), (CommunicatorName{.size = 4, .least = 3, .ranks = {0, 2}}));
}

// The number of a split's members is known only when the split is over.
TEST(CommunicatorNames, HaveASizeThatCameLater) {
  CommunicatorNames names;
  names.add(rank_in(0, {{30, "", 0}}));
  names.add(rank_in(0, {{30, "", 1}}));
  EXPECT_EQ(names.name(30), (CommunicatorName{.size = 1, .ranks = {0}}));
}

TEST(CommunicatorNames, AreRememberedWhenTheBoxHasGoneOn) {
  CommunicatorNames names;
  names.add(rank_in(0, {{30, "", 1}}));
  names.add(rank_in(0, {{31, "", 1}}));
  EXPECT_EQ(names.name(30).number, 1);
  EXPECT_EQ(names.name(31).number, 2);
}

}  // namespace
}  // namespace gridlock::detect
