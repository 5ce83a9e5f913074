// Compiles a PTX module that is needed for the first time on this machine.
#pragma once

#include <filesystem>
#include <string>

namespace sim::kernels {

// Runs `tool module`.
//   Throws  ptx::Refused with the tool's last line on stderr, if it fails
//   Blocks  until it ends: seconds
void compile(const std::filesystem::path& tool, const std::string& module);

}  // namespace sim::kernels
