// Combines the checks' answers into one.
#include "harness/accept/result.h"

#include <algorithm>
#include <array>

namespace gridlock::accept {

std::string_view to_string(Answer answer) {
  static constexpr std::array<std::string_view, 4> kNames{"pass", "fail", "inconclusive",
                                                          "infrastructure"};
  return kNames.at(static_cast<std::size_t>(answer));
}

int exit_code(Answer answer) {
  static constexpr std::array kCodes{0, 1, 4, 3};
  return kCodes.at(static_cast<std::size_t>(answer));
}

Counts count(const std::vector<Result>& results) {
  Counts counts;
  for (const Result& result : results) {
    if (is_excused(result)) {
      ++counts.excused;
    } else if (!result.was_run && !result.needed) {
      ++counts.skipped;
    } else {
      switch (result.answer) {
        case Answer::pass:
          ++counts.pass;
          break;
        case Answer::fail:
          ++counts.fail;
          break;
        case Answer::inconclusive:
          ++counts.inconclusive;
          break;
        case Answer::infrastructure:
          ++counts.infrastructure;
          break;
      }
    }
  }
  return counts;
}

Answer answer_of(const Acceptance& acceptance) {
  const Counts counts = count(acceptance.results);
  if (counts.fail > 0) return Answer::fail;
  if (counts.infrastructure > 0) return Answer::infrastructure;
  const bool is_whole = static_cast<int>(acceptance.results.size()) == acceptance.planned;
  if (counts.inconclusive > 0 || !is_whole) return Answer::inconclusive;
  // Without a pass, nothing was found wrong, but nothing was checked either.
  return counts.pass + counts.excused > 0 ? Answer::pass : Answer::inconclusive;
}

std::string caution(const Acceptance& acceptance) {
  const bool has_figures =
      std::any_of(acceptance.results.begin(), acceptance.results.end(),
                  [](const Result& result) { return result.figure.has_value(); });
  if (!has_figures) return {};
  if (acceptance.context.backend != "cuda") {
    return "Bandwidths are those of simulated ranks on this machine's processors, even if a "
           "floor was compared with them: they say nothing about any GPU.";
  }
  if (acceptance.context.shared_gpu) {
    return "If there are more ranks than GPUs, they take turns: those bandwidths mean nothing, "
           "and are not compared with floors.";
  }
  return {};
}

}  // namespace gridlock::accept
