// The names of the files that a kept run leaves. One session writes them, another one finds them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace gridlock::session {

constexpr const char* kKeptOutput = "output.txt";
constexpr const char* kKeptEnds = "ends.json";
// Of an acceptance or a soak, the runs that differed: a results.json of only these.
constexpr const char* kOddRuns = "odd_runs.json";
// rank3.box
std::string kept_box(int rank);
// Whose box has this file name; -1 where the name is another's.
int rank_of_kept_box(std::string_view name);

// What in the folder `runs` of an earlier session is not Gridlock's, the first that is found; empty
// when all of it is.
std::filesystem::path foreign_in(const std::filesystem::path& runs);

}  // namespace gridlock::session
