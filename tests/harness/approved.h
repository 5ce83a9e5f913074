// Every format against its approved text in tests/approved/<room>. scripts/approve.sh accepts a
// change.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

namespace gridlock {

struct Approved {
  const char* file;
  std::function<std::string()> make;
};

inline std::string file_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

inline void expect_as_approved(const std::filesystem::path& folder, const Approved& format) {
  const std::filesystem::path file = folder / format.file;
  const std::string text = format.make();
  if (std::getenv("GRIDLOCK_APPROVE") != nullptr) {
    std::filesystem::create_directories(folder);
    std::ofstream(file) << text;
  }
  ASSERT_TRUE(std::filesystem::exists(file))
      << "not approved yet: run scripts/approve.sh, look, commit";
  EXPECT_EQ(file_of(file), text) << "if this is meant, scripts/approve.sh accepts it";
}

// An approved file that no test makes any more would never be checked again.
inline void expect_all_made(const std::filesystem::path& folder,
                            const std::vector<Approved>& formats) {
  ASSERT_TRUE(std::filesystem::exists(folder))
      << "nothing is approved yet: run scripts/approve.sh, look, commit";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    const bool is_made = std::any_of(formats.begin(), formats.end(),
                                     [&](const Approved& each) { return name == each.file; });
    EXPECT_TRUE(is_made) << name;
  }
}

// The name of a test: "report.md" is report_md.
inline std::string name_of(const testing::TestParamInfo<Approved>& each) {
  std::string name = each.param.file;
  for (char& letter : name) letter = letter == '.' ? '_' : letter;
  return name;
}

}  // namespace gridlock
