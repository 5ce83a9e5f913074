// The scenarios that this machine can run. The harness learns about them only from their programs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/catalogue/installation.h"
#include "harness/detect/verdict/expectation.h"

namespace gridlock::catalogue {

// What an NCCL with a fault of its own does.
struct OlderExpectation {
  int before = 0;  // the first version without the fault, as NCCL counts: 22602
  detect::Expectation expectation;
};

struct Variant {
  std::string name;
  std::string role;  // broken, fix, remedy, control
  std::string summary;
  std::string needs;            // why it cannot run with this many ranks; "" if it can
  int hosts = 1;                // simulated ones that it needs
  std::string needs_real_nccl;  // why not on our own NCCL; empty: runs there too
  std::string control;  // for a fix: the control that its cost is measured against; "": the first
  detect::Expectation expectation;
  std::vector<OlderExpectation> older;  // by version

  // What is declared for NCCL `version`; 0 means our own.
  const detect::Expectation& expectation_for(int version) const;
};

struct Scenario {
  std::filesystem::path program;
  std::string name;
  std::string backend;
  std::string summary;
  std::string lesson;
  std::string source_file;  // "batches/uneven_batches.cpp": chapter and name; "": unknown
  std::string source;       // all of that file
  std::vector<std::string> claims;
  bool by_mpiexec = false;  // its ranks speak MPI, so mpiexec has to start them
  int cuda_version = 0;     // 13000; 0: not built for CUDA
  int nccl_version = 0;     // 22809
  int ranks = 0;            // as asked for, else the scenario's own number
  std::vector<Variant> variants;
  std::string fault;  // why the program did not answer; then only its name is known
};

// Parses `text`, the answer to --describe.
//   Errors   MachineError that says what is wrong with it
Scenario parse_description(const std::string& text);

// Whose NCCL the ranks will run. The real one may end in ways that our own never does.
enum class NcclOrigin : std::uint8_t { own, source };

// Asks `program` for its description with `ranks` ranks; 0 means its own number.
//   Errors   none: `fault` says what went wrong
//   Blocks   at most kDescribeLimit
Scenario describe(const std::filesystem::path& program, int ranks,
                  NcclOrigin nccl = NcclOrigin::own);

// The programs of a back end, by name.
//   Errors   CannotRun if the back end is not part of this installation
std::vector<std::filesystem::path> programs(const Installation& installation,
                                            const std::string& backend);

// The back end that "auto" means here: cuda if there are scenarios for it and a GPU, else sim.
//   Blocks   at most kGpuLimit, if there are scenarios for a GPU
std::string choose_backend(const Installation& installation, const std::string& wanted);

}  // namespace gridlock::catalogue
