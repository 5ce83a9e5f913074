// Reading the number of agents from the environment.
#include "harness/agents/launcher.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "harness/base/error.h"

namespace gridlock::agents {
namespace {

int agents_of(const std::map<std::string, std::string>& variables) {
  return launched_agents([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Launcher, OneAgentNeedsNoMpi) {
  EXPECT_EQ(agents_of({}), 1);
  EXPECT_EQ(agents_of({{"PMI_SIZE", "1"}, {"PMI_RANK", "0"}}), 1);
  // A batch script that calls us without srun.
  EXPECT_EQ(agents_of({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}), 1);
}

// Several sessions that overwrite each other would be worse than none.
TEST(Launcher, RefusesAgentsThatCannotMeet) {
  EXPECT_THROW(agents_of({{"SLURM_STEP_NUM_TASKS", "2"}}), UsageError);
  EXPECT_THROW(agents_of({{"OMPI_COMM_WORLD_SIZE", "2"}}), UsageError);
}

}  // namespace
}  // namespace gridlock::agents
