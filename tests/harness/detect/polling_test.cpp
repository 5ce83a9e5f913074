// Polled progress is current only if the polling thread has finished a round. While that thread is
// silent, what depends on it is unknown, and never a deadlock.
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "harness/detect/judge.h"
#include "harness/detect/words/phrases.h"
#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {
namespace {

// The result of several looks. Between two looks, each rank's polling thread makes some rounds.
struct Looks {
  Finding last;
  Verdict verdict;
  int until_proven = 0;  // looks; 0: never
};

Looks look(World& world, std::uint64_t rounds) {
  constexpr int kLooks = 6;
  Judge judge(world.parameters);
  Looks looks;
  for (int i = 1; i <= kLooks; ++i) {
    const std::vector<record::Snapshot> shown = world.snapshots();
    looks.last = judge.look(shown);
    if (looks.last.proven && looks.until_proven == 0) looks.until_proven = i;
    if (i == kLooks && looks.last.proven) looks.verdict = judge.verdict();
    for (Rank& rank : world.ranks()) {
      if (rank.box.process == record::ProcessState::alive) rank.box.polls += rounds;
    }
  }
  return looks;
}

struct Polled {
  const char* name;
  World (*make)();
  Cause cause;
};
std::ostream& operator<<(std::ostream& out, const Polled& state) { return out << state.name; }

World all(int ranks, void (*act)(Rank& rank)) {
  World world(ranks);
  for (Rank& rank : world.ranks()) act(rank);
  return world;
}

// Each state is a deadlock if the polled streams' progress words are current. If they are old, the
// wait may already be over.
const Polled kPolled[] = {
    {"APeerIsGone",
     [] {
       World world(3);
       for (Rank* rank : world.some(0, 1)) rank->polled().recv(2).device_synchronize();
       world[2].exit(0);
       return world;
     },
     Cause::rank_exited},
    {"CallsDiffer",
     [] {
       return all(3, [](Rank& rank) {
         rank.polled();
         rank.box.rank == 1 ? rank.broadcast("x") : rank.all_reduce("x");
         rank.device_synchronize();
       });
     },
     Cause::mismatch},
    {"ACycleOfStreams",
     [] {
       World world = two_communicators(2);
       for (Rank& rank : world.ranks()) {
         const bool first = rank.box.rank == 0;
         rank.polled().in(first ? "first" : "second").all_reduce("a");
         rank.in(first ? "second" : "first").all_reduce("b").device_synchronize();
       }
       return world;
     },
     Cause::cycle},
    {"AGroupOnTwoStreams",
     [] {
       World world(2);
       const std::uint32_t other = world[0].add_stream();
       world[0].polled().group_begin().all_reduce("a");
       world[0].on(other).polled().all_reduce("b").group_end().device_synchronize();
       world[1].exit(0);
       return world;
     },
     Cause::rank_exited},
    {"AWaitForAPolledStream",
     [] {
       World world(2);
       const std::uint32_t other = world[0].add_stream();
       world[0].polled().recv(1);
       const Event event = world[0].record_event();
       world[0].on(other).wait_event(event).stream_synchronize();
       world[1].exit(0);
       return world;
     },
     Cause::rank_exited},
};

class Polling : public testing::TestWithParam<Polled> {};

TEST_P(Polling, ProvesNothingWhileItsThreadIsSilent) {
  World world = GetParam().make();
  const Looks looks = look(world, 0);
  EXPECT_EQ(looks.until_proven, 0);
  EXPECT_EQ(looks.last.dead, std::vector<int>());
  EXPECT_FALSE(looks.last.settled);
  EXPECT_EQ(world.stall().outcome, Outcome::stall);
  EXPECT_EQ(to_string(world.stall().cause), to_string(GetParam().cause));
}

// The round that ends after the second look may have begun before the first.
TEST_P(Polling, ProvesWhenARoundLiesBetweenLooks) {
  World world = GetParam().make();
  const Looks looks = look(world, 1);
  EXPECT_EQ(looks.until_proven, 4);
  EXPECT_EQ(looks.verdict.outcome, Outcome::deadlock);
  EXPECT_EQ(to_string(looks.verdict.cause), to_string(GetParam().cause));
  ASSERT_EQ(looks.verdict.assumptions.size(), 1U);
  EXPECT_NE(text_of(looks.verdict.assumptions[0]).find("polling"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(States, Polling, testing::ValuesIn(kPolled),
                         [](const auto& state) { return std::string(state.param.name); });

// Two deadlocks. One of them is seen only by polling.
TEST(SilentPolling, LeavesOtherProofsAlone) {
  World world(6);
  for (Rank& rank : world.ranks()) {
    const bool left = rank.box.rank < 3;
    rank.leave_world().join(left ? "left" : "right", rank.box.rank % 3, 3);
    if (!left) rank.polled();
    if (rank.box.rank % 3 == 2) {
      rank.exit(0);
    } else {
      rank.in(left ? "left" : "right").recv(2).device_synchronize();
    }
  }
  const Looks silent = look(world, 0);
  EXPECT_EQ(silent.until_proven, 2);
  EXPECT_EQ(silent.last.dead, (std::vector<int>{0, 1}));
  EXPECT_FALSE(silent.last.settled);
  EXPECT_EQ(silent.verdict.culprits, std::vector<int>{2});
  EXPECT_TRUE(silent.verdict.assumptions.empty());
  const Looks round = look(world, 2);
  EXPECT_EQ(round.last.dead, (std::vector<int>{0, 1, 3, 4}));
  EXPECT_TRUE(round.last.settled);
}

TEST(SilentPolling, OfAStreamWithNothingInFlightDoesNotCount) {
  World world(2);
  world[0].polled().all_reduce("x").all_done();
  const std::uint32_t other = world[0].add_stream();
  world[0].on(other).all_reduce("y").device_synchronize();
  world[1].all_reduce("x").all_done().exit(0);
  EXPECT_EQ(look(world, 0).until_proven, 2);
}

TEST(SilentPolling, BeginsAnewWhenTheJobHasMoved) {
  World world = kPolled[0].make();
  Judge judge;
  const auto seen = [&](std::uint64_t polls) {
    for (Rank* rank : world.some(0, 1)) rank->box.polls = polls;
    const auto shown = world.snapshots();
    return judge.look(shown).proven;
  };
  EXPECT_FALSE(seen(10));
  EXPECT_FALSE(seen(12));
  world[0].box.threads[0].epoch += 2;  // it was back, and is in the same call again
  EXPECT_FALSE(seen(20));
  EXPECT_FALSE(seen(22)) << "the rounds before this look may have been before it came back";
  EXPECT_FALSE(seen(23));
  EXPECT_TRUE(seen(24));
  EXPECT_TRUE(seen(24)) << "it was a deadlock then, so it is one";
}

TEST(SilentPolling, APositionThatNobodyLooksAtProvesNothing) {
  World world = kPolled[0].make();
  world[0].box.streams[0].missed = 1;
  const Looks looks = look(world, 5);
  EXPECT_EQ(looks.last.dead, std::vector<int>{1});
}

// Rank 1 may have got through the first all-reduce before it died.
TEST(MissedEnds, OfAStreamThatTheDeviceWritesProveNothingUpToThere) {
  World world(2);
  for (Rank& rank : world.ranks()) rank.all_reduce("x");
  world[0].device_synchronize();
  world[1].killed(9);
  EXPECT_EQ(look(world, 0).last.dead, std::vector<int>{0});
  world[0].box.streams[0].missed = 1;
  EXPECT_EQ(look(world, 0).last.dead, std::vector<int>{});
}

TEST(MissedEnds, SayNothingOfWhatComesLater) {
  World world(2);
  for (Rank& rank : world.ranks()) rank.all_reduce("x");
  world[0].all_reduce("y").device_synchronize();
  world[0].box.streams[0].missed = 1;
  world[1].exit(0);
  EXPECT_EQ(look(world, 0).last.dead, std::vector<int>{0});
}

// A group on the legacy stream and on a blocking one, whose end is marked only on the first. Rank 1
// is gone without its part.
World group_on_two_streams() {
  World world(2);
  Rank& rank = world[0];
  const std::uint32_t legacy = rank.add_stream(false, true);
  const std::uint32_t blocking = rank.add_stream(false);
  rank.group_begin().on(legacy).send(1, "there").on(blocking).recv(1, "back").group_end();
  rank.on(blocking).stream_synchronize();
  rank.box.streams[blocking].missed = 1;
  world[1].exit(0);
  return world;
}

TEST(MissedEnds, AreThoseOfTheGroupOnAnotherStream) {
  World world = group_on_two_streams();
  EXPECT_EQ(look(world, 0).last.dead, std::vector<int>{0});
}

TEST(MissedEnds, AreNotThoseOfAGroupThatIsMissedEverywhere) {
  World world = group_on_two_streams();
  world[0].box.streams[1].missed = 1;
  EXPECT_EQ(look(world, 0).last.dead, std::vector<int>{});
}

TEST(MissedEnds, AreNotThoseOfAGroupOnAnotherCommunicator) {
  World world = two_communicators(2);
  Rank& rank = world[0];
  const std::uint32_t legacy = rank.add_stream(false, true);
  const std::uint32_t blocking = rank.add_stream(false);
  rank.group_begin().on(legacy).in("first").send(1, "there");
  rank.on(blocking).in("second").recv(1, "back").group_end();
  rank.on(blocking).stream_synchronize();
  rank.box.streams[blocking].missed = 1;
  world[1].exit(0);
  EXPECT_EQ(look(world, 0).last.dead, std::vector<int>{});
}

TEST(SilentPolling, ACollectiveThatAMemberNeverCalledIsNotPast) {
  World world(3);
  for (Rank* rank : world.some(0, 1)) rank->polled().all_reduce("x").device_synchronize();
  EXPECT_EQ(look(world, 0).last.dead, std::vector<int>{}) << "rank 2 can still call it";
  world[2].exit(0);
  const Looks looks = look(world, 0);
  EXPECT_EQ(looks.until_proven, 2);
  EXPECT_EQ(looks.last.dead, (std::vector<int>{0, 1}));
  EXPECT_EQ(looks.verdict.culprits, std::vector<int>{2});
}

TEST(SilentPolling, ACollectiveOfAnAbortedCommunicatorMayBePast) {
  World world(2);
  world[0].polled().all_reduce("x").device_synchronize();
  world[0].box.communicators[0].state = record::CommunicatorState::aborted;
  world[1].exit(0);
  EXPECT_EQ(look(world, 0).last.dead, std::vector<int>{});
}

TEST(SilentPolling, ACollectiveThatOnlyItsRootMustJoinMayBePast) {
  World world(2);
  world[0].polled().broadcast("x").device_synchronize();
  world[1].exit(0);
  EXPECT_EQ(look(world, 0).last.dead, std::vector<int>{});
}

TEST(SilentPolling, OfAProcessThatIsGoneStaysSilent) {
  World world(2);
  world[0].all_reduce("x").device_synchronize();
  world[1].polled().all_reduce("x").device_synchronize().killed(9);
  EXPECT_EQ(look(world, 5).until_proven, 0) << "it may have been past it before it died";
}

}  // namespace
}  // namespace gridlock::detect::states
