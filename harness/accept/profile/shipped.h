// Finds a profile: a shipped one, or any file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gridlock::accept {

// Names of the profiles in `folder`, sorted.
std::vector<std::string> shipped(const std::filesystem::path& folder);

// The file of `asked`, which is a shipped profile's name or a path. Anything with a slash or ending
// in .toml is a path.
//   Errors   UsageError if there is none, naming the nearest
std::filesystem::path profile_file(const std::filesystem::path& folder, const std::string& asked);

// A digest that differs if the profile's text, the back end or the selection of checks differs.
std::string digest_of(const std::vector<std::string>& parts);

}  // namespace gridlock::accept
