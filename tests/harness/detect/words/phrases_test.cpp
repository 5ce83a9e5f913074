// What a verdict says about one rank and about several.
#include "harness/detect/words/phrases.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/detect/words/calls.h"
#include "harness/detect/words/verdict_text.h"

namespace gridlock::detect {
namespace {

TEST(Phrases, AgreeWithTheNumberOfRanks) {
  struct Told {
    Phrase phrase;
    const char* of_one;
    const char* of_many;
  };
  for (const Told& told : {
           Told{phrase::HasAborted{}, "has aborted the communicator that the others wait to form",
                "have aborted the communicator that the others wait to form"},
           Told{phrase::HasClosed{}, "has closed the communicator that the others wait on",
                "have closed the communicator that the others wait on"},
           Told{phrase::CalledOther{.own = {.call = record::Call::send, .bytes = 8},
           .others = {.call = record::Call::send, .bytes = 16}},
                "gives the message 8 bytes, and the other rank 16 bytes",
                "give the message 8 bytes, and the other rank 16 bytes"},
           Told{phrase::WrongNumbers{"NaN"}, "has wrong numbers: NaN", "have wrong numbers: NaN"},
           Told{phrase::NoCallYet{}, "has made no recorded call yet",
                "have made no recorded call yet"},
           Told{phrase::NoCallYet{.state = 'S', .syscall = "futex"},
                "has made no recorded call yet, with its main thread asleep in futex",
                "have made no recorded call yet, with their main threads asleep in futex"},
           Told{phrase::InUnrecordedCode{}, "is in code that is not recorded",
                "are in code that is not recorded"},
           Told{phrase::WaitsIn{{.call = record::Call::comm_init}}, "waits in comm_init",
                "wait in comm_init"},
           Told{phrase::WaitsIn{{.call = record::Call::comm_init},
                                Place{.call = record::Call::comm_split}},
                "waits in comm_init, and has not called comm_split",
                "wait in comm_init, and have not called comm_split"},
           Told{phrase::WaitsIn{{.call = record::Call::all_reduce},
                                Place{.call = record::Call::all_reduce}},
                "waits in all_reduce #0, and has not called it on another device",
                "wait in all_reduce #0, and have not called it on another device"},
           Told{phrase::InHostCode{.main_thread = true, .state = 'S'},
                "has its main thread asleep, outside any recorded call",
                "have their main threads asleep, outside any recorded call"},
           Told{phrase::OnItsDevice{.at = {.call = record::Call::stream_synchronize},
           .where = "device 3 of host a"},
                "waits in stream_synchronize, behind work that is not recorded (a kernel, a copy) "
                "and does not end, on device 3 of host a",
                "wait in stream_synchronize, behind work that is not recorded (a kernel, a copy) "
                "and does not end, on device 3 of host a"},
           Told{phrase::Joined{.communicator = {}, .rank = 2, .size = 4, .others_size = 3},
                "joined a communicator as rank 2 of 4; the others joined it as one of 3",
                "joined a communicator as rank 2 of 4; the others joined it as one of 3"},
           Told{phrase::Joined{
                    .communicator = {}, .rank = 1, .size = 2, .others_size = 3, .one_other = true},
                "joined a communicator as rank 1 of 2; the other joined it as one of 3",
                "joined a communicator as rank 1 of 2; the other joined it as one of 3"},
           Told{phrase::Ended{.by_signal = true, .code = 9}, "was killed by signal 9 (Killed)",
                "were killed by signal 9 (Killed)"},
       }) {
    EXPECT_EQ(text_of(told.phrase), told.of_one);
    EXPECT_EQ(text_of(told.phrase, 2), told.of_many);
  }
}

TEST(Phrases, OfARecordThatCannotBeReadSayWhy) {
  EXPECT_EQ(text_of(phrase::Unread{{2, 3}, "its table of streams was full"}),
            "Nothing is proven about ranks 2, 3: its table of streams was full.");
}

TEST(Communicators, WithoutANameAreToldByTheirRanks) {
  EXPECT_EQ(communicator_text({.given = "world"}), "world");
  EXPECT_EQ(communicator_text({}), "");
  EXPECT_EQ(communicator_text({.size = 4, .ranks = {0, 1, 2, 3}}), "the communicator of ranks 0-3");
  EXPECT_EQ(communicator_text({.size = 2, .ranks = {0, 2}, .number = 2}),
            "the 2nd communicator of ranks 0, 2");
  EXPECT_EQ(communicator_text({.size = 2, .ranks = {0, 2}, .number = 12}),
            "the 12th communicator of ranks 0, 2");
  EXPECT_EQ(communicator_text({.size = 4, .ranks = {0, 2}}),
            "a communicator of 4 ranks, ranks 0, 2 among them");
  EXPECT_EQ(communicator_text({.size = 4, .least = 3, .ranks = {0, 1, 2}}),
            "a communicator of 3 or 4 ranks, ranks 0-2 among them");
  EXPECT_EQ(communicator_text({.size = 6, .least = 4, .ranks = {0, 1, 2}}),
            "a communicator of 4 to 6 ranks, ranks 0-2 among them");
}

Verdict hang(std::size_t groups, std::vector<int> culprits) {
  Verdict verdict;
  verdict.outcome = Outcome::deadlock;
  verdict.cause = Cause::missing_rank;
  verdict.culprits = std::move(culprits);
  for (std::size_t group = 0; group < groups; ++group) {
    Wait& wait = verdict.waiting.emplace_back();
    wait.ranks = {static_cast<int>(group)};
    wait.operation = record::Call::all_reduce;
  }
  return verdict;
}

TEST(Explanation, KnowsAMajorityFromOneOfTwo) {
  EXPECT_TRUE(explanation(hang(3, {3})).ends_with("what most ranks of the communicator do."));
  EXPECT_TRUE(explanation(hang(1, {1})).ends_with("need it, and it never comes."));
  EXPECT_TRUE(explanation(hang(1, {1, 2})).ends_with("need them, and they never come."));
}

TEST(Explanation, SaysOfAProofThatItIsOne) {
  Verdict verdict = hang(3, {3});
  verdict.cause = Cause::host_stuck;
  EXPECT_TRUE(explanation(verdict).ends_with("Nobody is left who could wake them."));
  verdict.outcome = Outcome::stall;
  EXPECT_NE(explanation(verdict).find("Nothing is proven"), std::string::npos);
}

TEST(Explanation, CountsGroupsThatItLeavesOut) {
  EXPECT_NE(explanation(hang(7, {9})).find("1 more group."), std::string::npos);
  EXPECT_NE(explanation(hang(8, {9})).find("2 more groups."), std::string::npos);
}

}  // namespace
}  // namespace gridlock::detect
