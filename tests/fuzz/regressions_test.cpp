// Programs that the oracle and the detector once disagreed about.
#include <gtest/gtest.h>

#include "tests/fuzz/judgement.h"

namespace gridlock::fuzz {
namespace {

struct Regression {
  const char* name;
  const char* program;
};

void PrintTo(const Regression& regression, std::ostream* out) { *out << regression.name; }

class Regressions : public testing::TestWithParam<Regression> {};

TEST_P(Regressions, StayMended) {
  constexpr int kRuns = 20;  // some faults show only in some runs
  for (int run = 0; run < kRuns; ++run) {
    EXPECT_EQ(judge(parse(GetParam().program)).disagreement, "");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Fuzz, Regressions,
    testing::Values(
        // The plainest programs, one for each kind of answer: look at these first if all others
        // disagree.
        Regression{"all_meet", "A = 0 1\n0: A.all_reduce@0\n1: A.all_reduce@0"},
        Regression{"one_is_missing", "A = 0 1\n0: A.all_reduce@0\n1:"},
        Regression{"both_send_first", R"(A = 0 1
            0: A.send(1):large@0 A.recv(1):large@0
            1: A.send(0):large@0 A.recv(0):large@0)"},
        // Rank 1 gives A up and lives on in another wait.
        Regression{"one_aborts_and_stays", R"(A = 0 1 2
            B = 1 2
            0: A.all_reduce@0
            1: A.abort B.recv(1)@0
            2: A.all_reduce@0)"},
        // The oracle also blamed the cycle of ranks 0 and 1, although it leads on to rank 2.
        Regression{"circle_that_waits_for_one_that_aborts", R"(A = 0 1 2
            B = 0 1 2
            0: A.recv(1)@0 B.broadcast(1)@1 B.broadcast(2)@1
            1: B.broadcast(1)@0 A.all_reduce@0
            2: B.abort A.all_reduce@0)"},
        // A false proof, in some runs: the collective's stream was taken to hold the message back.
        Regression{"group_over_two_streams", R"(A = 1 0
            0: A.all_reduce@1 +A.recv(0):large@0
            1: A.send(1):large@2)"},
        // No proof: the group's communicators on one stream were taken to run at the same time.
        Regression{"group_over_two_communicators", R"(A = 0 1
            B = 0 1
            0: A.all_reduce@0 +B.all_reduce@0
            1: B.all_reduce@0)"},
        // No proof: the stream of the small message was taken to be free of the group.
        Regression{"group_holds_all_its_streams", R"(A = 0 1 2
            0:
            1:
            2: A.send(1)@2 +A.reduce(0):large@0 sync@2)"},
        // No proof: messages on two streams might have been one group.
        Regression{"messages_on_two_streams", R"(A = 0 1
            0: A.recv(1)@0 A.send(1)@1
            1: A.recv(0)@0)"},
        // Blamed for a call that did not fit: the broadcast of the group was long done, and ranks
        // waited only for its other part.
        Regression{"group_that_is_done_in_part", R"(A = 0 1 2
            B = 0 1 2
            0: A.broadcast(0)@0
            1: B.all_reduce:large@1 A.broadcast(0)@0 +B.reduce_scatter@0
            2: B.all_reduce:large@0 A.all_gather@0)"},
        // No rank was blamed: the calls come in the same order on both ranks, but the streams do
        // not.
        Regression{"group_changes_the_order", R"(A = 0 1
            B = 0 1
            0: A.reduce(0)@0 B.broadcast(1)@0 A.all_reduce@0
            1: A.reduce(0)@0 +B.broadcast(1)@0 +A.all_reduce@0)"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace gridlock::fuzz
