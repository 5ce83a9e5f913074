// Who this process is among the ranks: torchrun's variables, or another launcher's.
#include "scenarios/runtime/environment.h"

#include <fmt/core.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string>

namespace gridlock {
namespace {

constexpr int kLastPort = 65535;
constexpr const char* kCure =
    "Start the ranks with `gridlock run`, torchrun, mpiexec or srun, or set RANK, WORLD_SIZE, "
    "LOCAL_RANK, "
    "LOCAL_WORLD_SIZE, MASTER_ADDR and MASTER_PORT.";

// The names of a launcher's variables.
struct Names {
  const char* rank;
  const char* world_size;
  const char* local_rank;
  const char* local_world_size;
};
constexpr Names kTorchrun{"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
constexpr Names kOthers[] = {
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
     "OMPI_COMM_WORLD_LOCAL_SIZE"},
};

bool is_set(const char* name) { return std::getenv(name) != nullptr; }

// Another launcher's names count only if none of torchrun's is set. If some are set, a missing one
// is a mistake.
const Names& launcher() {
  const bool torchrun = is_set(kTorchrun.rank) || is_set(kTorchrun.world_size) ||
                        is_set(kTorchrun.local_rank) || is_set(kTorchrun.local_world_size);
  if (torchrun) return kTorchrun;
  for (const Names& other : kOthers) {
    if (is_set(other.rank) && is_set(other.local_rank)) return other;
  }
  return kTorchrun;
}

// torchrun says in a variable that its own store listens on MASTER_PORT. Then we take the port
// beside it.
int free_port(int master_port) {
  const char* held = std::getenv("TORCHELASTIC_USE_AGENT_STORE");
  if (held == nullptr || std::strcmp(held, "True") != 0) return master_port;
  return master_port < kLastPort ? master_port + 1 : master_port - 1;
}

std::string text(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') {
    throw EnvironmentError(fmt::format("{} is not set. {}", name, kCure));
  }
  return value;
}

int number(const char* name, int low, int high, const char* meaning) {
  const std::string value = text(name);
  int parsed = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
  if (error == std::errc::result_out_of_range) {
    throw EnvironmentError(
        fmt::format("{} is {}, which no number here can be. It is {}.", name, value, meaning));
  }
  if (error != std::errc{} || end != value.data() + value.size()) {
    throw EnvironmentError(
        fmt::format("{} is \"{}\", which is not a whole number. It is {}.", name, value, meaning));
  }
  if (parsed < low || parsed > high) {
    throw EnvironmentError(fmt::format("{} is {}, which is not between {} and {}. It is {}.", name,
                                       parsed, low, high, meaning));
  }
  return parsed;
}

}  // namespace

Environment read_environment() {
  constexpr int kMostRanks = 1 << 20;
  const Names& names = launcher();
  Environment environment;
  environment.world_size = number(names.world_size, 1, kMostRanks, "the number of ranks");
  environment.rank =
      number(names.rank, 0, environment.world_size - 1, "this rank, below the number of ranks");
  environment.local_world_size = number(names.local_world_size, 1, environment.world_size,
                                        "the number of ranks on this machine");
  environment.local_rank = number(names.local_rank, 0, environment.local_world_size - 1,
                                  "this rank among those of its machine");
  environment.master_addr = text("MASTER_ADDR");
  environment.master_port =
      free_port(number("MASTER_PORT", 1, kLastPort, "the port that rank 0 listens on"));
  return environment;
}

}  // namespace gridlock
