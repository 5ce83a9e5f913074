// Notes on ranks of the job.
#include "harness/detect/findings/describe.h"

#include <gtest/gtest.h>

#include "harness/detect/words/phrases.h"
#include "tests/harness/detect/states.h"

namespace gridlock::detect {
namespace {

using states::World;

// Rank 1 calls the all-reduce in a group, which it never closes.
World open_group(int at_ranks) {
  World world(2);
  world[0].all_reduce("x").stream_synchronize();
  for (int rank = 2 - at_ranks; rank < 2; ++rank) {
    world[rank] = states::Rank(rank, 2);
    world[rank].group_begin().all_reduce("x").group_end().announce_only();
  }
  return world;
}

std::vector<std::string> notes_of(const Verdict& verdict) {
  std::vector<std::string> texts;
  for (const Phrase& note : verdict.notes) {
    if (std::holds_alternative<phrase::OpenGroup>(note)) texts.push_back(text_of(note));
  }
  return texts;
}

TEST(Describe, SaysThatAGroupIsOpen) {
  const std::vector<std::string> expected = {
      "Rank 1 has a group open: it has called all_reduce #0 \"x\" on world in it, and not yet "
      "ncclGroupEnd."};
  EXPECT_EQ(notes_of(open_group(1).stall()), expected);
}

TEST(Describe, SaysItOnceOfSeveralRanks) {
  const std::vector<std::string> expected = {
      "Ranks 0, 1 have a group open: they have called all_reduce #0 \"x\" on world in it, and not "
      "yet ncclGroupEnd."};
  EXPECT_EQ(notes_of(open_group(2).stall()), expected);
}

TEST(Describe, SaysItOfOneThatHasEnded) {
  World world = open_group(1);
  world[1].exit(0);
  const std::vector<std::string> expected = {
      "Rank 1 ended with a group open: it had called all_reduce #0 \"x\" on world in it, and not "
      "ncclGroupEnd."};
  EXPECT_EQ(notes_of(world.stall()), expected);
}

TEST(Describe, DoesNotSayItOfACallThatIsBeingMade) {
  World world = open_group(1);
  world[1].call_on_device(record::Call::group_end);
  EXPECT_TRUE(notes_of(world.stall()).empty());
}

}  // namespace
}  // namespace gridlock::detect
