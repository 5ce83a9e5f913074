// Hand-written sessions to compare.
#pragma once

#include "harness/report/compare/formats.h"
#include "tests/harness/report/results.h"

namespace gridlock::report {

// Five repetitions of a cure and its control, with these step times.
inline Results timed_session(double fix_us, double control_us, int repetitions = 5) {
  Results results = session();
  results.runs.clear();
  for (int i = 0; i < repetitions; ++i) {
    Run fix = healthy("join", "fix", fix_us + i);
    Run control = healthy("even", "control", control_us + i);
    fix.repetition = control.repetition = i;
    results.runs.push_back(std::move(fix));
    results.runs.push_back(std::move(control));
  }
  return results;
}

// The cure hangs in one of five runs, the control is slower, a variant is new and one is gone.
inline Results worse_session() {
  Results results = timed_session(300, 450);
  results.context.nccl = "2.29.1";
  Run& hung = results.runs[4];
  hung.verdict = hang().verdict;
  hung.as_declared = false;
  results.runs.push_back(healthy("new <one>", "fix", 100));
  return results;
}

inline Results base_session() {
  Results results = timed_session(300, 200);
  results.context.nccl = "2.28.9";
  results.runs.push_back(hang());
  return results;
}

inline Comparison comparison_of(const std::vector<Results>& sessions,
                                const std::vector<std::string>& names) {
  Comparison comparison{
      .sessions = side_by_side(sessions, names), .changes = {}, .noise = {}, .all_rows = false};
  for (std::size_t i = 1; i < sessions.size(); ++i) {
    comparison.changes.push_back(changes_between(sessions.front(), sessions[i]));
  }
  return comparison;
}

inline Comparison worse_comparison() {
  return comparison_of({base_session(), worse_session()}, {"base", "new"});
}

inline Comparison matrix_comparison() {
  return comparison_of({base_session(), base_session(), worse_session()}, {"a", "b", "c"});
}

}  // namespace gridlock::report
