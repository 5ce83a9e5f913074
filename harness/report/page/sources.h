// The scenarios' own texts, kept beside the session's results: schema gridlock.scenarios/1. With
// them, a page that is made later shows the code and the lesson of the build that ran.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gridlock::report {

struct ScenarioText {
  struct Variant {
    std::string name;
    std::string role;
    std::string summary;
  };
  std::string name;
  std::string summary;
  std::string lesson;
  std::string source_file;  // "batches/uneven_batches.cpp"
  std::string source;
  std::vector<std::string> claims;
  std::vector<Variant> variants;
};

std::string to_json(const std::vector<ScenarioText>& scenarios);

//   Errors   BadResults saying what is wrong with the text
std::vector<ScenarioText> scenarios_from_json(std::string_view text);

}  // namespace gridlock::report
