// Random programs: the detector's verdict on a run must equal the oracle's prediction.
//
// GRIDLOCK_FUZZ_PROGRAMS is how many programs the tests draw that run all ranks in one process
// (3000 if it is not set, fewer under a sanitizer, where each costs many times more); the other
// tests draw fewer. RC_PARAMS is rapidcheck's own ("seed=1", to draw the same ones again).
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <string>

#include "tests/fuzz/judgement.h"
#include "tests/fuzz/live/trial.h"
#include "tests/fuzz/oracle/oracle.h"
#include "tests/fuzz/paper/on_paper.h"
#include "tests/fuzz/programs/draw.h"

namespace gridlock::fuzz {
namespace {

// Simplifying a failing program runs many similar programs.
constexpr std::chrono::milliseconds kShrinkingPatience{1500};

constexpr int kCostOfProcesses = 2;
constexpr int kCostOfMpi = 20;  // mpiexec starts its ranks slowly

int wanted_programs() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr int kDefault = 300;
#else
  constexpr int kDefault = 3000;
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

// Draws `count` programs, and asks `judge` what is wrong with the answers about each: "" if nothing
// is. It is told whether a disagreement was found before, so that the program is a simpler one.
void agree(Draw draw, const std::string& what, int count,
           const std::function<std::string(const Program&, bool)>& judge) {
  rc::detail::TestParams parameters = rc::detail::configuration().testParams;
  parameters.maxSuccess = count;
  ASSERT_GT(count, 0) << "GRIDLOCK_FUZZ_PROGRAMS is not a number of programs";
  int run = 0;
  std::string disagreement;  // of the simplest program found so far
  const auto result = rc::detail::checkTestable(
      [&] {
        const Program program = *programs(draw);
        const bool is_first = disagreement.empty();
        const std::string why = judge(program, !is_first);
        ++run;
        if (why.empty()) return;
        disagreement = to_text(program) + why;
        if (is_first) std::cout << "found: " << disagreement << "\n";
        RC_FAIL();
      },
      rc::detail::TestMetadata{.id = "fuzz/" + what, .description = what}, parameters);
  EXPECT_TRUE(result.is<rc::detail::SuccessResult>()) << disagreement;
  std::cout << what << ": " << run << " programs, ";
}

// `cost`: of one program, as a multiple of the others'.
void agree_on(Draw draw, const std::string& what, int cost = 1) {
  int dead = 0;
  int unknown = 0;
  int raced = 0;
  agree(draw, what, wanted_programs() / cost, [&](const Program& program, bool is_simpler) {
    const Judgement judgement = judge(program, is_simpler ? kShrinkingPatience : kPatience);
    dead += judgement.trial.end == Trial::End::deadlock ? 1 : 0;
    raced += judgement.trial.raced ? 1 : 0;
    unknown += judgement.foresight.exhaustive || !is_open(program) ? 0 : 1;
    return judgement.disagreement;
  });
  std::cout << dead << " of them dead";
  if (unknown != 0) std::cout << ", " << unknown << " with more ends than could be foretold";
  if (raced != 0) std::cout << ", " << raced << " undecided because threads raced";
  std::cout << '\n';
}

TEST(Fuzz, HealthyPrograms) { agree_on(draw_healthy, "healthy programs"); }
TEST(Fuzz, BrokenPrograms) { agree_on(draw_broken, "broken programs"); }
TEST(Fuzz, WildPrograms) { agree_on(draw_wild, "wild programs"); }
TEST(Fuzz, ProgramsWithThreads) {
  agree_on(draw_threaded, "programs with threads", kCostOfProcesses);
}

// A program on paper costs little, and each is walked through several times.
void agree_on_paper(Draw draw, const std::string& what) {
  constexpr int kMorePrograms = 4;
  constexpr int kWalks = 4;
  constexpr int kShrinkingWalks = 40;
  int dead = 0;
  int undecided = 0;
  std::size_t looks = 0;
  const auto judge = [&](const Program& program, bool is_simpler) {
    Dice dice(*rc::gen::arbitrary<std::uint64_t>());
    bool is_dead = false;
    bool is_undecided = false;
    for (int walk = is_simpler ? kShrinkingWalks : kWalks; walk > 0; --walk) {
      const PaperTrial trial = run_on_paper(program, dice);
      if (!trial.disagreement.empty()) return trial.disagreement;
      looks += trial.looks;
      is_dead = is_dead || trial.dead;
      is_undecided = is_undecided || trial.undecided;
    }
    dead += is_dead ? 1 : 0;
    undecided += is_undecided ? 1 : 0;
    return std::string();
  };
  agree(draw, what + " on paper", kMorePrograms * wanted_programs(), judge);
  std::cout << dead << " of them dead, " << looks << " looks";
  if (undecided != 0) std::cout << ", " << undecided << " dead ones undecided";
  std::cout << '\n';
}

TEST(FuzzOnPaper, HealthyPrograms) { agree_on_paper(draw_healthy, "healthy programs"); }
TEST(FuzzOnPaper, BrokenPrograms) { agree_on_paper(draw_broken, "broken programs"); }
TEST(FuzzOnPaper, WildPrograms) { agree_on_paper(draw_wild, "wild programs"); }
TEST(FuzzOnPaper, ProgramsWithGatherings) {
  agree_on_paper(draw_with_gatherings, "programs with gatherings");
}
TEST(FuzzOnPaper, ProgramsWithMpi) { agree_on_paper(draw_with_mpi, "programs with MPI"); }
TEST(FuzzOnPaper, ProgramsWithThreads) { agree_on_paper(draw_threaded, "programs with threads"); }
#if GRIDLOCK_FUZZ_MPI
TEST(Fuzz, ProgramsWithMpi) { agree_on(draw_with_mpi, "programs with MPI", kCostOfMpi); }
#endif

}  // namespace

// For rapidcheck's report of a counterexample.
void showValue(const Program& program, std::ostream& out) { out << '\n' << to_text(program); }

}  // namespace gridlock::fuzz
