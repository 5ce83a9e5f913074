// Reads results.json, and writes a line of JSON for each run.
#include "tests/nodes/results.h"

#include <fmt/format.h>

#include <fstream>

namespace gridlock::nodes {

using nlohmann::json;

std::filesystem::path out(const std::string& name) { return Field::folder() / name; }

Command run_of(const Command& arguments, const std::string& name) {
  Command all{GRIDLOCK_PROGRAM, "run", "--backend", "sim", "--output", out(name).string()};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

json results(const std::string& name) {
  std::ifstream file(out(name) / "results.json");
  return json::parse(file, nullptr, false);
}

std::multiset<std::string> verdicts(const json& results) {
  std::multiset<std::string> all;
  for (const json& run : results.at("runs")) {
    json told;
    for (const char* key : {"scenario", "variant", "ranks", "status", "outcome", "cause",
                            "culprits", "as_declared", "score"}) {
      told[key] = run.value(key, json());
    }
    for (const json& group : run.value("waiting", json::array())) {
      json place;
      for (const char* key : {"ranks", "operation", "communicator", "slot", "label"}) {
        place[key] = group.value(key, json());
      }
      told["waiting"].push_back(place);
    }
    // The verdict names a state before the crash only if the job stood still for a while. The
    // survivors may abort sooner than that.
    if (told["outcome"] == "crashes") {
      told.erase("cause");
      told.erase("waiting");
    }
    all.insert(told.dump());
  }
  return all;
}

}  // namespace gridlock::nodes
