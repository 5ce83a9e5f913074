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
        // The simplest programs, one for each kind of answer. If all others disagree, look at these
        // first.
        Regression{"all_meet", "A = 0 1\n0: A.all_reduce@0\n1: A.all_reduce@0"},
        Regression{"one_is_missing", "A = 0 1\n0: A.all_reduce@0\n1:"},
        Regression{"both_send_first", R"(A = 0 1
            0: A.send(1):large@0 A.recv(1):large@0
            1: A.send(0):large@0 A.recv(0):large@0)"},
        // Rank 1 was not proven: rank 0 destroys as well, but does not get past its own receive.
        Regression{"destroys_with_work_that_never_ends", R"(A = 0 1
            0: A.recv(1)@0 A.destroy
            1: A.destroy)"},
        Regression{"all_split_and_destroy", R"(A = 0 1
            0: A.split A.all_reduce@0 A.destroy
            1: A.split A.all_reduce@0 A.destroy)"},
        // Rank 1 gives up A and goes on to another wait.
        Regression{"one_aborts_and_stays", R"(A = 0 1 2
            B = 1 2
            0: A.all_reduce@0
            1: A.abort B.recv(1)@0
            2: A.all_reduce@0)"},
        // The oracle also blamed the cycle of ranks 0 and 1, although the cycle waits for rank 2.
        Regression{"circle_that_waits_for_one_that_aborts", R"(A = 0 1 2
            B = 0 1 2
            0: A.recv(1)@0 B.broadcast(1)@1 B.broadcast(2)@1
            1: B.broadcast(1)@0 A.all_reduce@0
            2: B.abort A.all_reduce@0)"},
        // A false proof in some runs: the detector assumed that the collective's stream holds back
        // the message.
        Regression{"group_over_two_streams", R"(A = 1 0
            0: A.all_reduce@1 +A.recv(0):large@0
            1: A.send(1):large@2)"},
        // No proof: the detector assumed that the group's communicators on one stream run at the
        // same time.
        Regression{"group_over_two_communicators", R"(A = 0 1
            B = 0 1
            0: A.all_reduce@0 +B.all_reduce@0
            1: B.all_reduce@0)"},
        // No proof: the detector assumed that the group does not hold the small message's stream.
        Regression{"group_holds_all_its_streams", R"(A = 0 1 2
            0:
            1:
            2: A.send(1)@2 +A.reduce(0):large@0 sync@2)"},
        // No proof: the messages on two streams could have been one group.
        Regression{"messages_on_two_streams", R"(A = 0 1
            0: A.recv(1)@0 A.send(1)@1
            1: A.recv(0)@0)"},
        // Blamed for a call that did not fit: the group's broadcast was long done, and ranks waited
        // only for its other part.
        Regression{"group_that_is_done_in_part", R"(A = 0 1 2
            B = 0 1 2
            0: A.broadcast(0)@0
            1: B.all_reduce:large@1 A.broadcast(0)@0 +B.reduce_scatter@0
            2: B.all_reduce:large@0 A.all_gather@0)"},
        // The proof named nobody: no rank waited for the one that sleeps.
        Regression{"sleeps_for_ever_alone",
                   "A = 0 1\n0: A.all_reduce@0\n1: A.all_reduce@0 await(0)"},
        // The proof assumed that what rank 1 had under way goes no further, and it had nothing.
        Regression{"refused_before_it_left", "A = 0 1\n0: A.all_reduce@0\n1: A.refused@0"},
        // No proof: a call that may still be refused hid from the ledger that rank 1 had sent
        // nothing.
        Regression{"stays_in_a_group_behind_an_abort", R"(A = 0 1
            B = 0 1
            0: B.recv(1)@0
            1: B.abort A.recv(0)@0 A.all_reduce@0 +copy)"},
        // The oracle let a blocking stream be past another thread's copy.
        Regression{"synchronizes_behind_a_copy", R"(A = 0 1
            B = 0 1
            0: A.all_reduce@0
            1: await(3) A.all_reduce@0
            0: sync@1 copy
            0: sync@2 kick(1) copy)"},
        // The oracle forgot that a lazy group still connects after a wait inside it.
        Regression{"lazy_group_that_ends_in_a_wait", R"(lazy
            A = 0 1
            0: A.send(1)@0 +copy
            1:)"},
        // No rank was blamed: both ranks make the calls in the same order, but their streams run
        // them in different orders.
        Regression{"group_changes_the_order", R"(A = 0 1
            B = 0 1
            0: A.reduce(0)@0 B.broadcast(1)@0 A.all_reduce@0
            1: A.reduce(0)@0 +B.broadcast(1)@0 +A.all_reduce@0)"},
        // No proof: rank 1 sends a signal once, and later what its device could still do seemed to
        // send another.
        Regression{"device_sends_no_signal", R"(A = 0 1 2
            B = 0 1 2
            C = 0 1 2
            0: A.broadcast(0)@0 await(3) A.all_reduce@0
            1: A.broadcast(0)@0 A.broadcast(0)@0 +nap kick(0) A.all_reduce@0
            2: B.reduce_scatter:large@1 A.broadcast(0)@0 C.recv(0):large@2 A.all_reduce@0
            0: sync@1 B.reduce_scatter:large@1
            0: C.send(2):large@2 C.send(2):large@2 C.send(1)@2
            1: copy B.reduce_scatter:large@1
            1: sync@2 C.recv(0)@2)"},
        // The recorder's mark behind the copy waited for the other thread's all-reduce.
        Regression{"copy_beside_an_all_reduce", R"(A = 0 1
            B = 0 1
            0: B.reduce_scatter:large@2 B.reduce(0)@2
            1: A.all_reduce:large@0
            1: B.reduce_scatter:large@2 copy B.reduce(0)@2)"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace gridlock::fuzz
