// Runs a program from a file many times, and shows what the oracle and the detector say about it.
//   fuzz_try FILE [REPETITIONS [paper]]
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "harness/detect/words/verdict_text.h"
#include "tests/fuzz/judgement.h"
#include "tests/fuzz/paper/on_paper.h"

int main(int count, char** arguments) {
  try {
    if (count < 2) throw std::invalid_argument("usage: fuzz_try FILE [REPETITIONS [paper]]");
    std::ifstream file(arguments[1]);
    const auto program =
        gridlock::fuzz::parse(std::string(std::istreambuf_iterator<char>(file), {}));
    std::map<std::string, int> answers;
    gridlock::fuzz::Dice dice(1);
    const bool on_paper = count > 3;
    for (int left = count > 2 ? std::atoi(arguments[2]) : 1; left > 0; --left) {
      if (on_paper) {
        ++answers[gridlock::fuzz::run_on_paper(program, dice).disagreement];
        continue;
      }
      const auto judgement = gridlock::fuzz::judge(program, std::chrono::milliseconds(1000));
      const std::string& why = judgement.disagreement;
      ++answers[why.empty() ? fmt::format("agreed: {} stuck, culprits {}, {}",
                                          judgement.trial.stuck, judgement.trial.verdict.culprits,
                                          explanation(judgement.trial.verdict))
                            : why];
    }
    for (const auto& [answer, times] : answers) fmt::print("{} x {}\n", times, answer);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}
