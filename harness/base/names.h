// Handles names as people type them: shell wildcards, and the name nearest to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gridlock {

// Whether `name` fits the shell pattern `pattern` (*, ?, [...]).
bool fits(const std::string& pattern, const std::string& name);

// How many letters to insert, remove or replace to turn one into the other.
std::size_t edit_distance(std::string_view one, std::string_view other);

// The candidate nearest to `name`. Empty if none resembles it.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace gridlock
