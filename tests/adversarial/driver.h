// Runs an adversarial program under `gridlock watch`, or alone, and says whether the verdict is
// what the program declares.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace gridlock::adversarial {

struct Program {
  std::string name;  // "healthy/groups/open_beside_sync"
  std::string path;
  nlohmann::json expect;  // the output of `PROGRAM --expect`; setup/trial.h has the fields

  bool is_healthy() const { return expect.at("healthy"); }
};

// All programs, sorted by name. `gpu`: those that are built for GPUs.
std::vector<std::string> program_names(bool gpu = false);
Program find_program(const std::string& name, bool gpu = false);
// The name with letters and digits alone, as GoogleTest needs it.
std::string test_name(std::string name);
// Empty, or why the program cannot run here.
std::string why_not(const Program& program);

struct Said {
  std::string outcome;   // "none": no verdict came within the limit
  std::string verdict;   // "deadlock (cycle) of 0, 1, assuming …": one line
  std::string output;    // of `gridlock watch`
  std::string wrong;     // why the verdict is not the declared one; "" if it is
  double detect_ms = 0;  // of a hang
  bool accused = false;  // a healthy program was called a deadlock
};

enum class Mode { lenient, strict };

struct Conditions {
  bool busy = false;   // other processes keep all processors busy
  std::string nccl{};  // a version that is built for the simulation; "": our own
  bool gpu = false;    // on GPUs, which ranks share if there are too few
};

// Runs `gridlock watch` on the program in a temporary folder, which is then removed.
//   Blocks   until the verdict, at most for kRunLimit
Said watch(const Program& program, Mode mode, const Conditions& conditions = {});

// How the program ends without Gridlock: whether within `limit_s`, and whether without an error.
struct Alone {
  bool ended = false;
  bool failed = false;
};
Alone run_alone(const Program& program, int limit_s, const Conditions& conditions = {});

// The programs in known_wrong.txt, which are judged wrongly today.
struct KnownWrong {
  bool sometimes = false;  // not in each run
  std::string what;
};
std::optional<KnownWrong> known_wrong(const std::string& name);

}  // namespace gridlock::adversarial
