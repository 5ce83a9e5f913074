// Each rendezvous variable, missing or wrong, gives a sentence that names it.
#include "scenarios/runtime/environment.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <set>
#include <string>

namespace gridlock {
namespace {

using Variables = std::map<std::string, std::string>;

const Variables kGood{{"RANK", "1"},
                      {"WORLD_SIZE", "4"},
                      {"LOCAL_RANK", "1"},
                      {"LOCAL_WORLD_SIZE", "4"},
                      {"MASTER_ADDR", "127.0.0.1"},
                      {"MASTER_PORT", "29500"}};

// Reads an environment of exactly these variables; "" if it is accepted, otherwise the error.
std::string complaint(const Variables& variables) {
  static std::set<std::string> touched;
  for (const auto& [name, unused] : kGood) touched.insert(name);
  for (const std::string& name : touched) unsetenv(name.c_str());
  for (const auto& [name, unused] : variables) touched.insert(name);
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  try {
    read_environment();
    return "";
  } catch (const EnvironmentError& error) {
    return error.what();
  }
}

TEST(Environment, ReadsTorchrunsVariables) {
  ASSERT_EQ(complaint(kGood), "");
  const Environment environment = read_environment();
  EXPECT_EQ(environment.rank, 1);
  EXPECT_EQ(environment.world_size, 4);
  EXPECT_EQ(environment.local_rank, 1);
  EXPECT_EQ(environment.local_world_size, 4);
  EXPECT_EQ(environment.master_addr, "127.0.0.1");
  EXPECT_EQ(environment.master_port, 29500);
}

TEST(Environment, LeavesTorchrunsOwnStoreItsPort) {
  Variables variables = kGood;
  variables["TORCHELASTIC_USE_AGENT_STORE"] = "True";
  ASSERT_EQ(complaint(variables), "");
  EXPECT_EQ(read_environment().master_port, 29501);
  variables["MASTER_PORT"] = "65535";
  ASSERT_EQ(complaint(variables), "");
  EXPECT_EQ(read_environment().master_port, 65534);
}

TEST(Environment, ReadsOtherLaunchersVariables) {
  const Variables mpich{{"PMI_RANK", "2"},        {"PMI_SIZE", "8"},
                        {"MPI_LOCALRANKID", "0"}, {"MPI_LOCALNRANKS", "2"},
                        {"MASTER_ADDR", "node0"}, {"MASTER_PORT", "29500"}};
  ASSERT_EQ(complaint(mpich), "");
  const Environment environment = read_environment();
  EXPECT_EQ(environment.rank, 2);
  EXPECT_EQ(environment.world_size, 8);
  EXPECT_EQ(environment.local_rank, 0);
  EXPECT_EQ(environment.local_world_size, 2);
}

TEST(Environment, DoesNotMixLaunchers) {
  Variables variables = kGood;
  variables.erase("RANK");
  variables["PMI_RANK"] = "1";
  variables["MPI_LOCALRANKID"] = "1";
  EXPECT_EQ(complaint(variables).rfind("RANK is not set.", 0), 0U) << complaint(variables);
}

TEST(Environment, NamesTheVariableThatIsMissing) {
  for (const auto& [name, unused] : kGood) {
    Variables variables = kGood;
    variables.erase(name);
    EXPECT_EQ(complaint(variables).rfind(name + " is not set.", 0), 0U) << complaint(variables);
    variables[name] = "";
    EXPECT_EQ(complaint(variables).rfind(name + " is not set.", 0), 0U) << complaint(variables);
  }
}

TEST(Environment, NamesTheVariableThatIsNoNumber) {
  for (const std::string name :
       {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "MASTER_PORT"}) {
    for (const std::string value : {"two", "1x", " 1", "1.5"}) {
      Variables variables = kGood;
      variables[name] = value;
      EXPECT_EQ(complaint(variables).rfind(fmt::format("{} is \"{}\"", name, value), 0), 0U)
          << complaint(variables);
    }
    Variables variables = kGood;
    variables[name] = "99999999999";
    EXPECT_EQ(complaint(variables).rfind(name + " is 99999999999, which no number here can be", 0),
              0U)
        << complaint(variables);
  }
}

TEST(Environment, NamesTheVariableThatIsOutOfRange) {
  const std::vector<std::pair<std::string, std::string>> wrong{
      {"RANK", "4"},        {"RANK", "-1"},           {"WORLD_SIZE", "0"},      {"LOCAL_RANK", "4"},
      {"MASTER_PORT", "0"}, {"MASTER_PORT", "65536"}, {"LOCAL_WORLD_SIZE", "5"}};
  for (const auto& [name, value] : wrong) {
    Variables variables = kGood;
    variables[name] = value;
    const std::string start = fmt::format("{} is {}, which is not between", name, value);
    EXPECT_EQ(complaint(variables).rfind(start, 0), 0U) << complaint(variables);
  }
}

}  // namespace
}  // namespace gridlock
