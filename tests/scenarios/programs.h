// The scenario programs of the build, and their answers to --describe.
#pragma once

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gridlock::testing {

// Every program of the build, beside this test in the tree.
inline std::vector<std::filesystem::path> programs() {
  namespace fs = std::filesystem;
  const fs::path root = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& folder : {root / "scenarios/sim", root.parent_path() / "scenarios/sim"}) {
    if (!fs::is_directory(folder)) continue;
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.is_regular_file()) found.push_back(entry.path());
    }
    return found;
  }
  return {};
}

// The description of `program` for `ranks` ranks.
inline nlohmann::json describe_program(const std::filesystem::path& program, int ranks = 4) {
  const std::string command = program.string() + " --describe --ranks " + std::to_string(ranks);
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::string text;
  std::array<char, 4096> chunk{};
  while (pipe && std::fgets(chunk.data(), chunk.size(), pipe.get()) != nullptr) {
    text += chunk.data();
  }
  return nlohmann::json::parse(text);
}

}  // namespace gridlock::testing
