// Random programs: the detector's verdict on a run must equal the oracle's prediction.
//
// GRIDLOCK_FUZZ_PROGRAMS is how many programs each test draws (5000 if it is not set, fewer under a
// sanitizer, where each costs many times more). RC_PARAMS is rapidcheck's own ("seed=1", to draw
// the same ones again).
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

#include "tests/fuzz/draw.h"
#include "tests/fuzz/judgement.h"
#include "tests/fuzz/oracle.h"
#include "tests/fuzz/trial.h"

namespace gridlock::fuzz {
namespace {

// Simplifying a failing program runs many similar programs.
constexpr std::chrono::milliseconds kShrinkingPatience{300};

int wanted_programs() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr int kDefault = 300;
#else
  constexpr int kDefault = 5000;
#endif
  const char* text = std::getenv("GRIDLOCK_FUZZ_PROGRAMS");
  return text == nullptr ? kDefault : std::atoi(text);
}

using Draw = Program (*)(Dice&, int);

rc::Gen<Program> programs(Draw draw) {
  return [draw](const rc::Random& random, int size) {
    rc::Random source = random;
    Dice dice(source.next());
    return rc::shrinkable::shrinkRecur(draw(dice, size), [](const Program& program) {
      return rc::seq::fromContainer(simpler(program));
    });
  };
}

void agree_on(Draw draw, const std::string& what) {
  rc::detail::TestParams parameters = rc::detail::configuration().testParams;
  parameters.maxSuccess = wanted_programs();
  ASSERT_GT(parameters.maxSuccess, 0) << "GRIDLOCK_FUZZ_PROGRAMS is not a number of programs";
  int dead = 0;
  int run = 0;
  std::string disagreement;  // of the simplest program found so far
  const auto result = rc::detail::checkTestable(
      [&] {
        const Program program = *programs(draw);
        const Judgement judgement =
            judge(program, disagreement.empty() ? kPatience : kShrinkingPatience);
        dead += judgement.fate.dead() ? 1 : 0;
        ++run;
        if (judgement.disagreement.empty()) return;
        disagreement = to_text(program) + judgement.disagreement;
        RC_FAIL();
      },
      rc::detail::TestMetadata{.id = "fuzz/" + what, .description = what}, parameters);
  EXPECT_TRUE(result.is<rc::detail::SuccessResult>()) << disagreement;
  std::cout << what << ": " << run << " programs, " << dead << " of them dead\n";
}

TEST(Fuzz, HealthyPrograms) { agree_on(draw_healthy, "healthy programs"); }
TEST(Fuzz, BrokenPrograms) { agree_on(draw_broken, "broken programs"); }
TEST(Fuzz, WildPrograms) { agree_on(draw_wild, "wild programs"); }

}  // namespace

// For rapidcheck's report of a counterexample.
void showValue(const Program& program, std::ostream& out) { out << '\n' << to_text(program); }

}  // namespace gridlock::fuzz
