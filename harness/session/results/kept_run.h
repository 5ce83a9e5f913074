// The names of a kept run's files. One session writes them, another finds them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gridlock::session {

constexpr const char* kKeptOutput = "output.txt";
constexpr const char* kKeptEnds = "ends.json";
// For an acceptance or a soak: a results.json with only the runs that differed.
constexpr const char* kOddRuns = "odd_runs.json";
// rank3.box
std::string kept_box(int rank);
// The rank whose box has this file name; -1 if it is not a box's name.
int rank_of_kept_box(std::string_view name);

// The first file in `runs`, an earlier session's folder, that is not Gridlock's. Empty if all are.
std::filesystem::path foreign_in(const std::filesystem::path& runs);

}  // namespace gridlock::session
