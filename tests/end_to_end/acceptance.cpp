// Writes profiles and stand-ins into the test's folder.
#include "tests/end_to_end/acceptance.h"

#include <fstream>

namespace gridlock::end_to_end {

void write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }

void write_program(const fs::path& file, const std::string& script) {
  fs::create_directories(file.parent_path());
  write(file, "#!/bin/sh\n" + script + "\n");
  fs::permissions(file, fs::perms::owner_all);
}

Done accept(const Folder& folder, const std::string& profile, std::vector<std::string> arguments,
            const std::map<std::string, std::string>& environment) {
  write(folder.path() / "p.toml", "summary = \"a test\"\nbackend = \"sim\"\nranks = 4\n" + profile);
  arguments.insert(arguments.begin(), {"accept", "p.toml", "--output", "out"});
  return gridlock(arguments, folder, environment);
}

Json results(const Folder& folder) { return read_json(folder.path() / "out" / "acceptance.json"); }

std::string reports(const std::string& bandwidth) {
  return "printf '{\"status\":\"completed\",\"reason\":\"\",\"numbers\":\"right\","
         "\"numbers_detail\":\"\",\"figures\":{\"busbw_bytes_per_s\":%s}}' " +
         bandwidth + " >&3";
}

std::map<std::string, std::string> with_benchmark(const Folder& folder, const std::string& script) {
  const fs::path home = folder.path() / "home";
  fs::remove_all(home);
  make_installation(home, {});
  fs::remove_all(home / "scenarios");
  fs::create_directory_symlink(fs::path(GRIDLOCK_BUILD) / "scenarios", home / "scenarios");
  write_program(home / "benchmarks" / "benchmark_collectives_sim", script);
  return {{"GRIDLOCK_HOME", home.string()}};
}

}  // namespace gridlock::end_to_end
