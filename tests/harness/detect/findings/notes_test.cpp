// Sentences that a verdict adds.
#include "harness/detect/findings/notes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "harness/detect/words/phrases.h"
#include "tests/harness/detect/asleep.h"
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

TEST(Notes, SaysThatAGroupIsOpen) {
  const std::vector<std::string> expected = {
      "Rank 1 has a group open: it has called all_reduce #0 \"x\" on world in it, and not yet "
      "ncclGroupEnd."};
  EXPECT_EQ(notes_of(open_group(1).stall()), expected);
}

TEST(Notes, SaysItOnceOfSeveralRanks) {
  const std::vector<std::string> expected = {
      "Ranks 0, 1 have a group open: they have called all_reduce #0 \"x\" on world in it, and not "
      "yet ncclGroupEnd."};
  EXPECT_EQ(notes_of(open_group(2).stall()), expected);
}

TEST(Notes, SaysItOfOneThatHasEnded) {
  World world = open_group(1);
  world[1].exit(0);
  const std::vector<std::string> expected = {
      "Rank 1 ended with a group open: it had called all_reduce #0 \"x\" on world in it, and not "
      "ncclGroupEnd."};
  EXPECT_EQ(notes_of(world.stall()), expected);
}

TEST(Notes, DoesNotSayItOfACallThatIsBeingMade) {
  World world = open_group(1);
  world[1].call_on_device(record::Call::group_end);
  EXPECT_TRUE(notes_of(world.stall()).empty());
}

// Rank 1 sends to rank 0 with tag 2, and waits in a barrier; rank 0 receives with tag 1.
World wrong_tag() {
  World world = states::with_mpi(3);
  world[0].mpi(record::Call::mpi_recv, "", 1, 1);
  world[1].mpi_done(world[1].mpi_start(record::Call::mpi_send, "", 0, 2));
  world[1].mpi_done(world[1].mpi_start(record::Call::mpi_send, "", 2, 5));
  world[2].mpi_done(world[2].mpi_start(record::Call::mpi_recv, "", 1, 5));
  for (states::Rank* rank : world.some(1, 2)) rank->mpi(record::Call::mpi_barrier, "");
  return world;
}

TEST(Notes, NameAMessageThatNobodyHasReceived) {
  const Verdict verdict = wrong_tag().verdict();
  ASSERT_EQ(verdict.notes.size(), 1U);
  EXPECT_EQ(text_of(verdict.notes[0]),
            "Rank 1 has sent rank 0 a message with tag 2, which rank 0 has not received.");
}

TEST(Notes, NameOneOfNcclToTheWrongRank) {
  World world(3);
  world[0].recv(1).stream_synchronize();
  world[1].send(2).all_done().all_reduce("x").stream_synchronize();
  world[2].all_reduce("x").stream_synchronize();
  const Verdict verdict = world.verdict();
  ASSERT_EQ(verdict.notes.size(), 1U);
  EXPECT_EQ(text_of(verdict.notes[0]),
            "Rank 1 has sent rank 2 a message, which rank 2 has not received.");
}

// Rank 0 keeps Python's lock in a wait; its second thread needs it for what rank 1 waits for.
TEST(Notes, SaysThatPythonsLockIsKept) {
  World world = states::absent({states::key(1)});
  record::Sleep waits = states::sleeps({states::key(0)});
  waits.on = record::kPythonsLock;
  const auto names = [&] {
    const std::vector<Phrase> notes = world.verdict().notes;
    return std::ranges::count(notes, Phrase(phrase::KeepsPythonsLock{.ranks = {0}}));
  };
  EXPECT_EQ(names(), 0);
  states::add_other(world, 0, states::key(0), waits);
  EXPECT_EQ(names(), 1);
  world[0].box.others.clear();
  world[0].box.threads[world[0].add_thread()].sleep = waits;
  EXPECT_EQ(names(), 1);
  EXPECT_EQ(text_of(phrase::KeepsPythonsLock{.ranks = {0, 1}}),
            "A thread of ranks 0, 1 waits for Python's lock (GIL), which another one keeps: a call "
            "that waits must give it away before.");
}

}  // namespace
}  // namespace gridlock::detect
