// Reads the environment variables of MPICH's hydra, Slurm and Open MPI.
#include "harness/agents/launcher.h"

#include <fmt/format.h>

#include <cstdlib>

#include "harness/base/error.h"

namespace gridlock::agents {
namespace {

#ifdef GRIDLOCK_WITH_MPI
constexpr bool kHasMpi = true;
#else
constexpr bool kHasMpi = false;
#endif

}  // namespace

int launched_agents(const std::function<const char*(const char*)>& value_of) {
  const auto number = [&](const char* name) {
    const char* text = value_of(name);
    return text == nullptr ? 0 : std::atoi(text);
  };
  // Counts the tasks of the step, not of the job: a batch script that calls us without srun is one
  // agent.
  const int of_slurm = number("SLURM_STEP_NUM_TASKS");
  const int of_pmi = number("PMI_SIZE");
  const int of_open_mpi = number("OMPI_COMM_WORLD_SIZE");
  if (of_pmi > 1) {
    if (kHasMpi) return of_pmi;
    throw UsageError(
        fmt::format("{} agents were started, and they need MPI to find each other, but this "
                    "gridlock was built without it; install libmpich-dev and build it again",
                    of_pmi));
  }
  if (of_open_mpi > 1) {
    throw UsageError(
        fmt::format("Open MPI's mpiexec started {} agents, but this gridlock was built with "
                    "MPICH; start it with mpiexec.hydra, or with srun --mpi=pmi2",
                    of_open_mpi));
  }
  if (of_slurm > 1) {
    throw UsageError(fmt::format(
        "srun started {} agents that cannot find each other; start them with srun --mpi=pmi2",
        of_slurm));
  }
  return 1;
}

}  // namespace gridlock::agents
