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
  std::vector<Changes> changes;  // each later session against the first, or against the one before
  Noise noise;
  bool all_rows = false;  // also show rows that are equal in all sessions
  bool in_steps = false;  // the sessions are versions in order: each against the one before

  bool got_worse() const;
  // Versions, and three sessions or more, are shown as a matrix of verdicts.
  bool is_matrix() const { return in_steps || sessions.sessions.size() > 2; }
  // The names of the two sessions that changes[i] compares.
  const std::string& base_of(std::size_t i) const { return sessions.sessions[in_steps ? i : 0]; }
  const std::string& fresh_of(std::size_t i) const { return sessions.sessions[i + 1]; }
};

std::string to_text(const Comparison& comparison);
std::string to_markdown(const Comparison& comparison);
std::string to_json(const Comparison& comparison);  // schema gridlock.comparison/1
// A complete page without scripts. It loads nothing from elsewhere.
std::string to_html(const Comparison& comparison);

// Shared by the formats.

// "time to detect, ms: 1.20 -> 1.80, 1.50x (p 0.008, greater in 100 % of pairs, n 5 and 5)";
// "completes -> deadlock (cycle)".
std::string what_changed(const Change& change);
// "3 changes, 1 of them for the worse, in 40 variants that both ran; …".
std::string sums_of(const Changes& changes, const Noise& noise);
// The rows to show: those that differ, or all of them.
std::vector<Row> shown(const std::vector<Row>& rows, bool all);

}  // namespace gridlock::report
