// Scenario programs that are shell scripts, for make_installation. The test decides what they say
// and do.
#pragma once

#include <string>

namespace gridlock::end_to_end {

// The answer of such a program to --describe: one variant.
struct Scripted {
  std::string name = "x";
  std::string variant = "again";
  std::string role = "control";
  std::string outcome = "completes";
  std::string backend = "sim";
  int ranks = 2;
};

// A rank's report that it has completed.
inline const std::string kCompletes = R"(echo '{"status":"completed","numbers":"unchecked"}' >&3)";

// The script; as a rank it runs `body`.
std::string scripted(const Scripted& scenario, const std::string& body);

}  // namespace gridlock::end_to_end
