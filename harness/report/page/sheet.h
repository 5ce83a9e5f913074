// What a page shows of a session whose result is one answer: an acceptance or a soak.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gridlock::report {

enum class Tone { good, bad, open, quiet };

// One check or variant.
struct SheetRow {
  std::string name;
  std::string answer;  // "pass", "fail (waived)"
  Tone tone = Tone::quiet;
  std::vector<std::string> cells;  // one for each of Sheet::columns
};

// What a reader must see in full: why something did not pass, and what to do.
struct SheetFinding {
  std::string name;
  std::string answer;
  std::string reason;  // one sentence
  std::vector<std::string> culprits;
  std::string advice;    // "" if there is none
  std::string evidence;  // several lines; "" if there is nothing to show
};

struct Sheet {
  std::string title;   // "Acceptance: smoke"
  std::string answer;  // "pass"
  Tone tone = Tone::quiet;
  std::vector<std::string> sentences;  // about the whole
  std::string caution;                 // what a reader must know about the figures; "" if nothing
  std::vector<SheetFinding> findings;
  std::string row_title;             // what a row is: "Check", "Variant"
  std::vector<std::string> columns;  // after name and answer
  std::vector<SheetRow> rows;
};

nlohmann::ordered_json to_json(const Sheet& sheet);

}  // namespace gridlock::report
