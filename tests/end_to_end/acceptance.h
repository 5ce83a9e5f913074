// The tests' own profiles, and stand-ins for the programs that they run.
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

// Runs `gridlock accept` with the profile, on 4 simulated ranks unless it says otherwise. Results
// go to the folder "out".
Done accept(const Folder& folder, const std::string& profile,
            std::vector<std::string> arguments = {},
            const std::map<std::string, std::string>& environment = {});

// The results that it wrote.
Json results(const Folder& folder);

// A shell command with which a stand-in for a benchmark's rank reports a bandwidth, bytes/s.
std::string reports(const std::string& bandwidth);

// Makes a new installation, with real scenarios and a script in place of the benchmark. Returns the
// environment that selects it.
std::map<std::string, std::string> with_benchmark(const Folder& folder, const std::string& script);

void write(const fs::path& file, const std::string& text);
// A shell script that can be run.
void write_program(const fs::path& file, const std::string& script);

}  // namespace gridlock::end_to_end
