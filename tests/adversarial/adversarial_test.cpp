// One test for each program: its verdict is the declared one, unless known_wrong.txt lists it. That
// list can only shrink: an entry whose verdict has become right fails its test.
#include <gtest/gtest.h>

#include "tests/adversarial/driver.h"

namespace gridlock::adversarial {
namespace {

class Adversarial : public testing::TestWithParam<std::string> {};

TEST_P(Adversarial, IsJudgedAsItDeclares) {
  const Program program = find_program(GetParam());
  if (const std::string why = why_not(program); !why.empty()) GTEST_SKIP() << why;
  std::string wrong;
  Said said = watch(program, Mode::lenient);
  if (!said.wrong.empty()) wrong = said.verdict + " (" + said.wrong + ")\n" + said.output;
  // A healthy program must not be accused in strict mode either.
  if (wrong.empty() && program.is_healthy()) {
    said = watch(program, Mode::strict);
    if (!said.wrong.empty()) {
      wrong = "with --strict " + said.verdict + " (" + said.wrong + ")\n" + said.output;
    }
  }
  const auto known = known_wrong(program.name);
  if (!known) {
    EXPECT_EQ(wrong, "");
  } else if (known->sometimes) {
    GTEST_SKIP() << "sometimes wrong: " << known->what;
  } else {
    EXPECT_NE(wrong, "") << "is right now: take it out of known_wrong.txt, which says: "
                         << known->what;
  }
}

std::string test_name_of(const testing::TestParamInfo<std::string>& info) {
  return test_name(info.param);
}

INSTANTIATE_TEST_SUITE_P(Programs, Adversarial, testing::ValuesIn(program_names()), test_name_of);

}  // namespace
}  // namespace gridlock::adversarial
