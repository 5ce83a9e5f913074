// Every scenario teaches: the lesson that its program prints has all sections, in order, none
// empty.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "tests/scenarios/programs.h"

namespace gridlock {
namespace {

using testing::describe_program;
using testing::programs;

constexpr const char* kSections[] = {"Lesson", "Watch", "Cure", "In PyTorch", "Seen in"};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The lines of a section, without its name.
std::vector<std::string> section(const std::string& lesson, const std::string& name) {
  std::vector<std::string> found;
  bool inside = false;
  for (const std::string& line : lines_of(lesson)) {
    const bool begins = line.starts_with(name);
    if (begins) inside = true;
    if (begins && line.size() > name.size()) found.push_back(line.substr(name.size()));
    if (begins) continue;
    if (inside && !line.starts_with("    ")) break;
    if (inside) found.push_back(line);
  }
  return found;
}

TEST(Lesson, HasAllSectionsInOrder) {
  ASSERT_GE(programs().size(), 30U) << "the scenario programs are not built";
  for (const auto& program : programs()) {
    SCOPED_TRACE(program.filename().string());
    const std::string lesson = describe_program(program)["lesson"];
    std::size_t at = 0;
    for (const char* name : kSections) {
      const std::size_t found = lesson.find(std::string("\n") + name);
      ASSERT_NE(found, std::string::npos) << "no section \"" << name << "\"";
      EXPECT_GT(found, at) << "\"" << name << "\" comes too early";
      at = found;
      EXPECT_FALSE(section(lesson, name).empty()) << "nothing in \"" << name << "\"";
    }
  }
}

// The bug and its cure, or one line that says why there is no such spelling.
TEST(Lesson, SpellsTheBugAndTheCureInPyTorch) {
  for (const auto& program : programs()) {
    SCOPED_TRACE(program.filename().string());
    const std::vector<std::string> code =
        section(describe_program(program)["lesson"], "In PyTorch");
    EXPECT_GE(code.size(), 2U);
    EXPECT_LE(code.size(), 6U);
    std::string all;
    for (const std::string& line : code) {
      all += line + "\n";
      EXPECT_LE(line.size(), 97U) << line;
    }
    if (program.filename() == "healthy_training") continue;  // nothing to cure
    EXPECT_NE(all.find("bug"), std::string::npos) << all;
    EXPECT_NE(all.find("cure"), std::string::npos) << all;
  }
}

}  // namespace
}  // namespace gridlock
