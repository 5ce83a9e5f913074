// Who is named when a hang cannot be proven.
#include "harness/detect/findings/who_may_act.h"

#include <gtest/gtest.h>

#include "harness/detect/words/phrases.h"
#include "tests/harness/detect/asleep.h"

namespace gridlock::detect::states {
namespace {

using record::Awake;
using record::Sleep;

Sleep awake(Awake why, std::int64_t limit_ns = 0) {
  Sleep sleep;
  sleep.awake = why;
  sleep.limit_ns = limit_ns;
  return sleep;
}

// "" if nobody is named.
std::string named(World& world) {
  const Verdict verdict = world.stall();
  for (const Phrase& note : verdict.notes) {
    if (std::holds_alternative<phrase::MayAct>(note)) return text_of(note);
  }
  return "";
}

std::string sentence(const std::string& who) {
  return "It is not proven, because somebody can still act: " + who + ".";
}

TEST(WhoMayAct, TheThreadThatSleepsByTheClock) {
  World world = absent({});
  record::Thread& thread = world[1].box.threads[0];
  thread.sleep = awake(Awake::may_end, 50'000'000);
  thread.name = "python3";
  thread.state = 'S';
  thread.syscall = "clock_nanosleep";
  thread.tid = world[1].box.pid;
  EXPECT_EQ(named(world), sentence("the main thread of rank 1 (python3, asleep in clock_nanosleep "
                                   "for 50 ms at most)"));
  thread.state = 'R';  // it has woken up since
  thread.syscall = "";
  EXPECT_EQ(named(world), sentence("the main thread of rank 1 (python3, running)"));
}

TEST(WhoMayAct, EqualThreadsOfSeveralRanksTogether) {
  World world(3);
  for (Rank& rank : world.ranks()) {
    rank.box.pid = 100 + rank.box.rank;
    rank.box.key = key(rank.box.rank);
    add_other(world, rank.box.rank, rank.box.key, awake(Awake::may_end, 100'000'000));
    rank.box.others.back().name = "watchdog";
    rank.box.others.back().state = 'S';
    rank.box.threads[0].sleep = sleeps({rank.box.key});
  }
  EXPECT_EQ(named(world), sentence("a thread of ranks 0-2 (watchdog, asleep for 100 ms at most)"));
}

TEST(WhoMayAct, NotAThreadThatWakesNobody) {
  World world = absent({key(1)});
  add_other(world, 0, key(0), awake(Awake::may_end, 100'000'000));  // rank 0 waits in a call
  EXPECT_EQ(named(world), "");
}

TEST(WhoMayAct, NotThoseWhoOnlyWaitForThem) {
  World world = absent({kHelper});
  add_other(world, 1, kHelper, awake(Awake::runs));
  world[1].box.others.back().state = 'R';
  EXPECT_EQ(named(world), sentence("process 200 (running)"));
}

TEST(WhoMayAct, NotAHelperThatNobodyWaitsFor) {
  World world = absent({});
  world[1].box.threads[0].sleep = awake(Awake::runs);
  world[1].box.threads[0].state = 'R';
  add_other(world, 1, kHelper, awake(Awake::runs));
  EXPECT_EQ(named(world), sentence("the main thread of rank 1 (running)"));
}

TEST(WhoMayAct, ASleeperWhoseWakerNobodyKnows) {
  World world = absent({kHelper});
  world[1].box.threads[0].state = 'S';
  world[1].box.threads[0].syscall = "read(5, pipe)";
  EXPECT_EQ(named(world), sentence("the main thread of rank 1 (asleep in read(5, pipe))"));
}

TEST(WhoMayAct, AHelperAtAConnectionWhoseOtherEndNobodyKnows) {
  World world = absent({kHelper});
  Sleep at_connection = sleeps({kHelper});
  at_connection.far_ends = {"2>1"};
  add_other(world, 1, kHelper, std::move(at_connection));
  world[1].box.others.back().state = 'S';
  EXPECT_EQ(named(world), sentence("process 200 (asleep)"));
}

TEST(WhoMayAct, ATimer) {
  World world = absent({key(1)});
  world[1].box.signals = record::Signals::timed;
  EXPECT_EQ(named(world), sentence("a timer or a pending signal of rank 1"));
}

TEST(WhoMayAct, NobodyIfTheKernelWasNotAsked) {
  World world = absent({});
  world[1].box.threads[0].sleep = {};
  for (Rank& rank : world.ranks()) rank.box.key = 0;
  EXPECT_EQ(named(world), "");
}

TEST(WhoMayAct, NobodyInADeadlock) {
  World world = absent({key(1)});
  EXPECT_EQ(named(world), "");
}

}  // namespace
}  // namespace gridlock::detect::states
