// What is said of threads that can act.
#include "harness/detect/words/threads.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gridlock::detect {
namespace {

using record::Awake;
using Actor = phrase::MayAct::Actor;

TEST(Threads, EachReasonToBeAwakeHasItsWords) {
  const Actor sleeper{.ranks = {1}, .name = "loader", .state = 'S', .syscall = "futex"};
  struct Told {
    Awake awake;
    const char* text;
  };
  for (const Told& told :
       {Told{Awake::not_seen, "asleep in futex"}, Told{Awake::may_end, "asleep in futex"},
        Told{Awake::by_alarm, "asleep in futex, which an alarm may interrupt"},
        Told{Awake::by_signal, "asleep in futex, with a signal pending"},
        Told{Awake::by_page, "asleep in futex, at a page that another process has to fill"},
        Told{Awake::frozen, "asleep in futex, frozen by a control group"},
        Told{Awake::in_library,
             "asleep in futex, perhaps in a call of CUDA, NCCL or MPI that is not recorded"}}) {
    Actor actor = sleeper;
    actor.awake = told.awake;
    EXPECT_EQ(actors_text({{actor}}),
              std::string("a thread of rank 1 (loader, ") + told.text + ")");
  }
}

TEST(Threads, ThatAreInARecordedCallWhichMayReturn) {
  const std::vector<Actor> actors{
      {.kind = Actor::Kind::main_thread, .ranks = {0, 1, 2}, .call = record::Call::comm_abort}};
  EXPECT_EQ(actors_text(actors), "the main threads of ranks 0-2 (in comm_abort, which may return)");
}

TEST(Threads, OfManyTheFirstSixAreNamed) {
  std::vector<Actor> actors;
  for (int rank = 0; rank < 8; ++rank) actors.push_back({.ranks = {rank}, .state = 'R'});
  const std::string text = actors_text(actors);
  EXPECT_NE(text.find("rank 5"), std::string::npos);
  EXPECT_EQ(text.find("rank 6"), std::string::npos);
  EXPECT_TRUE(text.ends_with(" and 2 more")) << text;
}

}  // namespace
}  // namespace gridlock::detect
