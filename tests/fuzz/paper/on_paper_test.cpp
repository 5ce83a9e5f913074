// Programs that the oracle and the detector once disagreed about on paper.
#include "tests/fuzz/paper/on_paper.h"

#include <gtest/gtest.h>

namespace gridlock::fuzz {
namespace {

struct OnPaper {
  const char* name;
  const char* program;
};

void PrintTo(const OnPaper& one, std::ostream* out) { *out << one.name; }

class PaperRegressions : public testing::TestWithParam<OnPaper> {};

TEST_P(PaperRegressions, StayMended) {
  constexpr int kWalks = 1000;
  Dice dice(1);
  for (int walk = 0; walk < kWalks; ++walk) {
    ASSERT_EQ(run_on_paper(parse(GetParam().program), dice).disagreement, "");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Fuzz, PaperRegressions,
    testing::Values(
        // Rank 0 was dead while rank 1 could still give up what its all-reduce stands behind.
        OnPaper{"gives_up_what_its_stream_stands_behind", R"(A = 0 1
            B = 0 1
            0: A.all_reduce@0 sync@0
            1: B.recv(0)@0 A.all_reduce@0 B.drop sync@0)"},
        OnPaper{"gives_up_what_never_fits", R"(A = 0 1
            B = 0 1
            0: B.send(1)@1 A.all_reduce@0 sync@0
            1: B.recv(0):large@0 A.all_reduce@0 B.drop sync@0)"},
        // Nobody was blamed: the open group kept the other thread's receive out of the ledger, and
        // the send was past.
        OnPaper{"receive_that_does_not_fit_behind_an_open_group", R"(A = 0 1
            B = 0 1
            0: A.all_reduce@0 +free
            1: B.send(0)@0
            0: B.recv(1):large@1)"},
        // Rank 1 was not dead: rank 0 is in its destroy, but does not get past its own work.
        OnPaper{"destroys_with_work_that_never_ends", R"(A = 0 1
            0: A.recv(1)@0 A.destroy
            1: A.destroy)"},
        // Rank 0 was dead: its destroy waited for both communicators of rank 1's group.
        OnPaper{"destroys_one_of_two_in_a_group", R"(A = 0 1
            B = 0 1
            0: A.all_gather@0 A.destroy B.reduce_scatter@0
            1: A.all_gather@0 +B.reduce_scatter@0 A.destroy)"},
        // No proof: the other thread's open group kept the mismatch out of the ledger.
        OnPaper{"mismatch_behind_an_open_group", R"(A = 0 1
            B = 0 1
            0: A.reduce(1)@0
            1: A.all_gather@0
            1: B.reduce(1)@1 +device_sync)"},
        // Rank 0 was not proven: rank 2's open group kept its calls of MPI uncertain.
        OnPaper{"message_of_mpi_for_an_open_group", R"(mpi
            A = 0 1 2
            B = 0 1 2
            0: B.send(2):large@2
            1:
            2: A.send(1):large@0 A.all_reduce@0 +device_sync)"}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace gridlock::fuzz
