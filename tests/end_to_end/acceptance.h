// Profiles of a test's own, and stand-ins for what they run.
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/end_to_end/command.h"

namespace gridlock::end_to_end {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kHealthy = "[[scenario]]\nrun = \"uneven_batches/drop_last\"\n";
constexpr const char* kPair =
    "[[collective]]\noperation = \"pair\"\nsizes = \"1MiB\"\nrepeat = 2\n";

// `gridlock accept` of the profile, on 4 simulated ranks where it does not say otherwise, into the
// folder "out".
Done accept(const Folder& folder, const std::string& profile,
            std::vector<std::string> arguments = {},
            const std::map<std::string, std::string>& environment = {});

// What it wrote.
Json results(const Folder& folder);

// A shell command by which a rank in the collective benchmark's place reports a bandwidth, bytes/s.
std::string reports(const std::string& bandwidth);

// An installation with real scenarios and a script in the benchmark's place; made anew each time.
// Returns the environment that leads there.
std::map<std::string, std::string> with_benchmark(const Folder& folder, const std::string& script);

void write(const fs::path& file, const std::string& text);
// A shell script that can be run.
void write_program(const fs::path& file, const std::string& script);

}  // namespace gridlock::end_to_end
