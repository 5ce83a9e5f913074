// Where profiles come from: the shipped ones, or any file.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gridlock::accept {

// Names of the profiles in `folder`, sorted.
std::vector<std::string> shipped(const std::filesystem::path& folder);

// The file that `asked`, a shipped profile's name or a path, stands for. What has a slash or ends
// in .toml is a path.
//   Errors   UsageError when there is none, naming the nearest
std::filesystem::path profile_file(const std::filesystem::path& folder, const std::string& asked);

// Tells one profile's text, back end and selection of checks from another's.
std::string digest_of(const std::vector<std::string>& parts);

}  // namespace gridlock::accept
