// A comparison as text, Markdown, JSON and HTML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/report/compare/changes.h"
#include "harness/report/compare/side_by_side.h"

namespace gridlock::report {

struct Comparison {
  SideBySide sessions;
  std::vector<Changes> changes;  // of each later session against the first
  Noise noise;
  bool all_rows = false;  // also what is alike in all sessions

  bool got_worse() const;
  // Three sessions or more are shown as a matrix of verdicts.
  bool is_matrix() const { return sessions.sessions.size() > 2; }
};

std::string to_text(const Comparison& comparison);
std::string to_markdown(const Comparison& comparison);
std::string to_json(const Comparison& comparison);  // schema gridlock.comparison/1
// A page of its own: no script, and nothing from elsewhere.
std::string to_html(const Comparison& comparison);

// What these share.

// "time to detect, ms: 1.20 -> 1.80, 1.50x (p 0.008, greater in 100 % of pairs, n 5 and 5)";
// "completes -> deadlock (cycle)".
std::string what_changed(const Change& change);
// "3 changes, 1 of them for the worse, in 40 variants that both ran; …".
std::string sums_of(const Changes& changes, const Noise& noise);
// The rows that are shown: those that differ, or all.
std::vector<Row> shown(const std::vector<Row>& rows, bool all);

}  // namespace gridlock::report
