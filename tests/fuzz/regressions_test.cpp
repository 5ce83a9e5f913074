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

TEST_P(Regressions, StayMended) { EXPECT_EQ(judge(parse(GetParam().program)).disagreement, ""); }

INSTANTIATE_TEST_SUITE_P(Fuzz, Regressions,
                         testing::Values(
                             // The plainest programs there are, one a kind of answer: what to look
                             // at first when all others disagree.
                             Regression{"all_meet",
                                        "A = 0 1\n0: A.all_reduce@0\n1: A.all_reduce@0"},
                             Regression{"one_is_missing", "A = 0 1\n0: A.all_reduce@0\n1:"},
                             Regression{"both_send_first", R"(A = 0 1
            0: A.send(1):large@0 A.recv(1):large@0
            1: A.send(0):large@0 A.recv(0):large@0)"}),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace gridlock::fuzz
