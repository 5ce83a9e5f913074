// Starts a program under Gridlock, and collects its verdict and what it leaves behind.
#include "tests/adversarial/driver.h"

#include <poll.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "harness/catalogue/installation.h"
#include "harness/catalogue/nccls.h"
#include "harness/run/start/gpu_environment.h"
#include "tests/adversarial/answer.h"
#include "tests/adversarial/children.h"

namespace gridlock::adversarial {
namespace {

namespace fs = std::filesystem;

// Well below ctest's time limit for a test, which watches a program twice.
constexpr const char* kRunLimit = "25s";
constexpr std::chrono::seconds kGiveUp{40};
constexpr const char* kStallLimit = "3s";

fs::path folder_of_programs(bool gpu) {
  return gpu ? GRIDLOCK_ADVERSARIAL_GPU : GRIDLOCK_ADVERSARIAL_PROGRAMS;
}

// The library that gives scripts NCCL and CUDA.
std::string library_of(const Conditions& conditions) {
  if (conditions.gpu) return GRIDLOCK_ADVERSARIAL_GPU "/libvendor.so";
  if (conditions.nccl.empty()) return GRIDLOCK_ADVERSARIAL_SIM;
  return GRIDLOCK_ADVERSARIAL_REAL "/" + conditions.nccl + "/libnccl.so.2";
}

// Whether `gridlock watch` starts the ranks itself.
bool starts_ranks(const Program& program) {
  return !program.expect.at("by_mpiexec") &&
         program.expect.at("launcher").get<std::string>().empty();
}

// What `--share-gpus` sets, where the program does not. setup/main.cpp sets each rank's
// NCCL_HOSTID.
void share_gpus(const Program& program, Environment& environment) {
  environment["ADVERSARIAL_SHARES_GPUS"] = "1";
  environment["NCCL_RAS_ENABLE"] = "0";  // the ranks' ports would be equal
  for (const std::string& variable :
       run::gpu_environment({.count = 1}, program.expect.at("ranks"), 0, "", 0)) {
    const std::string name = variable.substr(0, variable.find('='));
    if (name != "NCCL_HOSTID") environment.emplace(name, variable.substr(name.size() + 1));
  }
}

Environment environment_of(const Program& program, const Folder& folder,
                           const Conditions& conditions) {
  Environment all{{"ADVERSARIAL_FOLDER", folder.path()},
                  {"ADVERSARIAL_SIM", library_of(conditions)}};
  for (const std::string entry : program.expect.at("environment")) {
    all[entry.substr(0, entry.find('='))] = entry.substr(entry.find('=') + 1);
  }
  return all;
}

// As `--nccl` does it.
void load_nccl(const std::string& nccl, Environment& environment) {
  const catalogue::Installation here{.root = fs::path(GRIDLOCK_ADVERSARIAL_REAL).parent_path()};
  for (const std::string& entry :
       catalogue::environment_of(catalogue::find_nccl(here, nccl), here)) {
    environment[entry.substr(0, entry.find('='))] = entry.substr(entry.find('=') + 1);
  }
}

Environment as_rank(Environment environment, int rank, int ranks, int port) {
  environment["RANK"] = environment["LOCAL_RANK"] = std::to_string(rank);
  environment["WORLD_SIZE"] = environment["LOCAL_WORLD_SIZE"] = std::to_string(ranks);
  environment["MASTER_ADDR"] = "127.0.0.1";
  environment["MASTER_PORT"] = std::to_string(port);
  return environment;
}

std::vector<std::string> command_of(const Program& program) {
  const std::string launcher = program.expect.at("launcher");
  if (launcher.empty()) return {program.path};
  return {"/bin/sh", "-c", launcher, program.path};
}

void start_outsider(const Program& program, const Environment& environment, const Folder& folder,
                    std::vector<pid_t>& pids) {
  if (!program.expect.at("outsider")) return;
  pids.push_back(start({program.path, "outsider"}, environment, folder.path() / "outsider.txt"));
}

std::vector<std::string> watch_command(const Program& program, Mode mode,
                                       const Conditions& conditions) {
  const nlohmann::json& expect = program.expect;
  std::vector<std::string> command{
      GRIDLOCK_PROGRAM, "watch",    "-n",       std::to_string(expect.at("ranks").get<int>()),
      "--json",         "out.json", "--output", "out",
      "--run-limit",    kRunLimit};
  const auto add = [&](std::initializer_list<std::string> more) {
    command.insert(command.end(), more);
  };
  const std::vector<std::string> options = expect.at("options");
  if (std::find(options.begin(), options.end(), "--stall-limit") == options.end()) {
    add({"--stall-limit", kStallLimit});
  }
  // A healthy program may be reported as a stall and go on. A deadlocked one has no more to show.
  if (!program.is_healthy()) add({"--on-stall", "kill"});
  command.insert(command.end(), options.begin(), options.end());
  if (mode == Mode::strict) add({"--strict"});
  if (!conditions.nccl.empty()) add({"--nccl", conditions.nccl});
  if (expect.at("by_mpiexec")) add({"--launcher", "mpiexec"});
  if (!expect.at("launcher").get<std::string>().empty()) add({"--ranks-by-program"});
  if (conditions.gpu && starts_ranks(program)) add({"--share-gpus"});
  add({"--"});
  const std::vector<std::string> what = command_of(program);
  command.insert(command.end(), what.begin(), what.end());
  return command;
}

}  // namespace

std::vector<std::string> program_names(bool gpu) {
  std::vector<std::string> names;
  std::istringstream list(GRIDLOCK_ADVERSARIAL_NAMES);
  for (std::string name; std::getline(list, name, ',');) {
    if (!gpu || fs::exists(folder_of_programs(gpu) / name)) names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

Program find_program(const std::string& name, bool gpu) {
  Program program{.name = name, .path = folder_of_programs(gpu) / name, .expect = {}};
  const Folder folder;
  const fs::path output = folder.path() / "expect.json";
  std::vector<pid_t> pid{start({program.path, "--expect"}, {}, output)};
  wait_for(pid, Clock::now() + std::chrono::seconds(20));
  program.expect = nlohmann::json::parse(contents(output));
  return program;
}

std::string test_name(std::string name) {
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0) letter = '_';
  }
  return name;
}

std::string why_not(const Program& program) {
  if (program.expect.at("by_mpiexec") &&
      std::system("mpiexec --version 2>/dev/null | grep -q HYDRA") != 0) {
    return "there is no mpiexec of MPICH's in PATH";
  }
  if (program.path.ends_with(".py") && std::system("python3 -c 0 2>/dev/null") != 0) {
    return "there is no python3";
  }
  return "";
}

Said watch(const Program& program, Mode mode, const Conditions& conditions) {
  const Folder folder;
  const Load load(conditions.busy || program.expect.at("beside_load"));
  Environment environment = environment_of(program, folder, conditions);
  if (conditions.gpu && !starts_ranks(program)) share_gpus(program, environment);
  const fs::path output = folder.path() / "watch.txt";
  std::vector<pid_t> outsiders;
  Environment outside = environment;
  if (!conditions.nccl.empty()) load_nccl(conditions.nccl, outside);
  start_outsider(program, outside, folder, outsiders);
  std::vector<pid_t> agent{start(watch_command(program, mode, conditions), environment, output)};
  const bool ended = wait_for(agent, Clock::now() + kGiveUp);
  // Checked before the remaining processes are ended.
  const std::string leaves = program.expect.at("leaves");
  const bool has_left = leaves.empty() || fs::exists(folder.path() / leaves);
  end(agent);
  end(outsiders);
  Said said;
  said.output = contents(output);
  const auto results =
      nlohmann::json::parse(contents(folder.path() / "out.json"), nullptr, /*exceptions*/ false);
  if (!ended || results.is_discarded() || results.at("runs").empty()) {
    said.outcome = said.verdict = "none";
    said.wrong = ended ? "no verdict" : "gridlock watch does not end";
    return said;
  }
  const nlohmann::json& run = results.at("runs").at(0);
  if (!run.at("outcome").is_string()) {
    said.outcome = said.verdict = "none";
    said.wrong = "no verdict: " + run.value("reason", "");
    return said;
  }
  said.outcome = run.at("outcome");
  said.verdict = text_of(run);
  said.accused = program.is_healthy() && said.outcome == "deadlock";
  if (run.contains("time_to_detect_ms") && run.at("time_to_detect_ms").is_number()) {
    said.detect_ms = run.at("time_to_detect_ms");
  }
  said.wrong = fault_of(run, program.expect);
  if (said.wrong.empty() && mode == Mode::lenient) {
    said.wrong = words_missing(said.output, run, program.expect);
  }
  if (said.wrong.empty() && !has_left) said.wrong = "returned before the job had ended";
  return said;
}

Alone run_alone(const Program& program, int limit_s, const Conditions& conditions) {
  const Folder folder;
  Environment environment = environment_of(program, folder, conditions);
  if (!conditions.nccl.empty()) load_nccl(conditions.nccl, environment);
  if (conditions.gpu) share_gpus(program, environment);
  const int port = free_port();
  const int ranks = program.expect.at("ranks");
  const fs::path output = folder.path() / "output.txt";
  std::vector<pid_t> pids;
  start_outsider(program, environment, folder, pids);
  if (program.expect.at("by_mpiexec")) {
    pids.push_back(start({"mpiexec", "-n", std::to_string(ranks), program.path},
                         as_rank(environment, 0, ranks, port), output));
  } else if (!program.expect.at("launcher").get<std::string>().empty()) {
    pids.push_back(start(command_of(program), environment, output));
  } else {
    for (int rank = 0; rank < ranks; ++rank) {
      pids.push_back(start(command_of(program), as_rank(environment, rank, ranks, port), output));
    }
  }
  int failed = 0;
  const auto until = Clock::now() + std::chrono::seconds(limit_s);
  bool ended = wait_for(pids, until, &failed);
  // Daemons are no children of the started processes, so they are waited for separately.
  while (ended && !folder.processes().empty()) {
    poll(nullptr, 0, 10);
    if (Clock::now() > until) ended = false;
  }
  folder.end_all();
  end(pids);
  return {.ended = ended, .failed = failed > 0};
}

std::optional<KnownWrong> known_wrong(const std::string& name) {
  std::ifstream list(GRIDLOCK_ADVERSARIAL_KNOWN_WRONG);
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string first;
    if (!(words >> first) || first != name) continue;
    std::string how;
    KnownWrong entry;
    words >> how;
    entry.sometimes = how == "sometimes";
    std::getline(words >> std::ws, entry.what);
    return entry;
  }
  return std::nullopt;
}

}  // namespace gridlock::adversarial
