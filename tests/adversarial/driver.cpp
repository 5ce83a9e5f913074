// Starts a program under Gridlock, and collects its verdict and what it leaves behind.
#include "tests/adversarial/driver.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <thread>

namespace gridlock::adversarial {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using Environment = std::map<std::string, std::string>;

// Well beneath the time that ctest gives a test, in which a program is watched twice.
constexpr const char* kRunLimit = "25s";
constexpr std::chrono::seconds kGiveUp{40};
constexpr const char* kStallLimit = "3s";

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string file_of(const std::string& name) {
  return fs::path(GRIDLOCK_ADVERSARIAL_PROGRAMS) / name;
}

// A temporary folder. What still runs and has it in its environment is ended with it.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "gridlock-adversarial-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    end_all();
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

  std::vector<pid_t> processes() const {
    const std::string mark = "ADVERSARIAL_FOLDER=" + path_.string();
    std::vector<pid_t> found;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc", ignored)) {
      const int pid = std::atoi(entry.path().filename().c_str());
      if (pid <= 0 || pid == getpid()) continue;
      if (contents(entry.path() / "environ").find(mark) != std::string::npos) found.push_back(pid);
    }
    return found;
  }
  void end_all() const {
    for (const pid_t pid : processes()) kill(pid, SIGKILL);
  }

 private:
  fs::path path_;
};

pid_t start(const std::vector<std::string>& command, const Environment& environment,
            const fs::path& output) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) std::signal(signal, SIG_DFL);
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
  const int file = open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  if (chdir(output.parent_path().c_str()) != 0) _exit(126);
  std::vector<std::string> all = command;
  std::vector<char*> pointers;
  for (std::string& argument : all) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  _exit(127);
}

// Whether all have ended by then; those that have are taken out, and those that failed counted.
bool wait_for(std::vector<pid_t>& pids, Clock::time_point until, int* failed = nullptr) {
  const auto has_ended = [&](pid_t pid) {
    int status = 0;
    if (waitpid(pid, &status, WNOHANG) != pid) return false;
    if (status != 0 && failed != nullptr) ++*failed;
    return true;
  };
  while (true) {
    std::erase_if(pids, has_ended);
    if (pids.empty()) return true;
    if (Clock::now() > until) return false;
    poll(nullptr, 0, 1);
  }
}

void end(std::vector<pid_t>& pids) {
  for (const pid_t pid : pids) kill(pid, SIGTERM);
  if (wait_for(pids, Clock::now() + std::chrono::seconds(5))) return;
  for (const pid_t pid : pids) kill(pid, SIGKILL);
  wait_for(pids, Clock::now() + std::chrono::seconds(5));
}

int free_port() {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0) return 0;
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  close(listener);
  return ntohs(address.sin_port);
}

Environment environment_of(const Program& program, const Folder& folder) {
  Environment all{{"ADVERSARIAL_FOLDER", folder.path()},
                  {"ADVERSARIAL_SIM", GRIDLOCK_ADVERSARIAL_SIM}};
  for (const std::string entry : program.expect.at("environment")) {
    all[entry.substr(0, entry.find('='))] = entry.substr(entry.find('=') + 1);
  }
  return all;
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

// Processes that spin, twice as many as there are processors.
class Load {
 public:
  explicit Load(bool wanted) {
    const unsigned count = wanted ? 2 * std::thread::hardware_concurrency() : 0;
    for (unsigned i = 0; i < count; ++i) {
      const pid_t pid = fork();
      if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (volatile unsigned long spins = 0;;) spins = spins + 1;
      }
      pids_.push_back(pid);
    }
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;
  ~Load() {
    for (const pid_t pid : pids_) kill(pid, SIGKILL);
    for (const pid_t pid : pids_) waitpid(pid, nullptr, 0);
  }

 private:
  std::vector<pid_t> pids_;
};

std::vector<std::string> watch_command(const Program& program, Mode mode) {
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
  // A healthy program may be told as a stall and go on; a dead one has no more to show.
  if (!program.is_healthy()) add({"--on-stall", "kill"});
  command.insert(command.end(), options.begin(), options.end());
  if (mode == Mode::strict) add({"--strict"});
  if (expect.at("by_mpiexec")) add({"--launcher", "mpiexec"});
  if (!expect.at("launcher").get<std::string>().empty()) add({"--ranks-by-program"});
  add({"--"});
  const std::vector<std::string> what = command_of(program);
  command.insert(command.end(), what.begin(), what.end());
  return command;
}

std::string text_of(const nlohmann::json& run) {
  std::string text = run.at("outcome");
  const std::string cause = run.value("cause", "");
  if (!cause.empty() && cause != "none") text += " (" + cause + ")";
  const std::vector<int> culprits = run.at("culprits");
  if (!culprits.empty()) text += fmt::format(" of {}", fmt::join(culprits, ", "));
  const std::vector<std::string> assumptions = run.value("assumptions", std::vector<std::string>{});
  if (!assumptions.empty()) text += fmt::format(", assuming: {}", fmt::join(assumptions, "; "));
  return text;
}

std::string fault_of(const nlohmann::json& run, const nlohmann::json& expect) {
  const std::string outcome = run.at("outcome");
  const bool hangs = outcome == "deadlock" || outcome == "stall";
  if (expect.at("healthy") && outcome == "deadlock") return "a healthy program is called dead";
  const bool is_right = std::ranges::any_of(expect.at("answers"), [&](const nlohmann::json& one) {
    if (one.at("outcome") != outcome) return false;
    const std::string cause = one.at("cause");
    if (cause.empty()) return true;
    return cause == run.value("cause", "") && one.at("culprits") == run.at("culprits");
  });
  if (!is_right) return "another verdict than the program declares";
  const std::string may_assume = expect.at("may_assume");
  const auto assumptions = run.value("assumptions", std::vector<std::string>{});
  for (const std::string& assumption : assumptions) {
    const bool allowed = !may_assume.empty() && assumption.find(may_assume) != std::string::npos;
    if (hangs && !allowed) return "rests on an assumption that need not be made";
  }
  return "";
}

std::string words_missing(const std::string& output, const nlohmann::json& run,
                          const nlohmann::json& expect) {
  const auto at = output.find("gridlock: ");
  const std::string verdict =
      (at == std::string::npos ? "" : output.substr(at)) + run.value("explanation", "");
  for (const std::string text : expect.at("says")) {
    if (verdict.find(text) == std::string::npos) return "does not say: " + text;
  }
  for (const std::string text : expect.at("says_not")) {
    if (verdict.find(text) != std::string::npos) return "says: " + text;
  }
  return "";
}

}  // namespace

const std::vector<std::string>& program_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found;
    std::istringstream list(GRIDLOCK_ADVERSARIAL_NAMES);
    for (std::string name; std::getline(list, name, ',');) found.push_back(name);
    std::sort(found.begin(), found.end());
    return found;
  }();
  return names;
}

Program find_program(const std::string& name) {
  Program program{.name = name, .path = file_of(name), .expect = {}};
  const Folder folder;
  const fs::path output = folder.path() / "expect.json";
  std::vector<pid_t> pid{start({program.path, "--expect"}, {}, output)};
  wait_for(pid, Clock::now() + std::chrono::seconds(20));
  program.expect = nlohmann::json::parse(contents(output));
  return program;
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

Said watch(const Program& program, Mode mode, bool busy) {
  const Folder folder;
  const Load load(busy || program.expect.at("beside_load"));
  const Environment environment = environment_of(program, folder);
  const fs::path output = folder.path() / "watch.txt";
  std::vector<pid_t> outsiders;
  start_outsider(program, environment, folder, outsiders);
  std::vector<pid_t> agent{start(watch_command(program, mode), environment, output)};
  const bool ended = wait_for(agent, Clock::now() + kGiveUp);
  // Before those who are left are ended.
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

Alone run_alone(const Program& program, int limit_s) {
  const Folder folder;
  const Environment environment = environment_of(program, folder);
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
  // Daemons have left those that were started.
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
