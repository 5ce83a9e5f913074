// `gridlock run` on the field, and the results that it leaves there.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/nodes/job.h"

namespace gridlock::nodes {

// The folder of results with this name; it vanishes with the world.
std::filesystem::path out(const std::string& name);

// `gridlock run` of the simulation with these arguments, results in out(name).
Command run_of(const Command& arguments, const std::string& name);

// The parsed results; null or discarded if there are none.
nlohmann::json results(const std::string& name);

// What two runs of a variant must agree on, one line per run: outcome, cause, culprits, score, and
// which rank waits where; but no times and no addresses.
std::multiset<std::string> verdicts(const nlohmann::json& results);

}  // namespace gridlock::nodes
