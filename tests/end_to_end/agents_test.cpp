// Several agents on this machine: one table, one folder, clocks that are far apart, and agents that
// are lost.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "tests/end_to_end/command.h"
#include "tests/end_to_end/scripted.h"

namespace gridlock::end_to_end {
namespace {

using Json = nlohmann::json;

// Exit status of `command`, run in `folder`.
int shell(const std::string& command, const Folder& folder) {
  const int status = std::system(("cd " + folder.path().string() + " && " + command).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Two agents, each of which writes down its exit code. `first`: what the shell does before it
// starts one.
std::vector<std::string> two_agents(const std::string& first = "") {
  return {"mpiexec", "-n", "2", "sh", "-c", first + "\"$@\"; echo $? > code.$PMI_RANK", "sh"};
}

class Agents : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_mpi(); !why.empty()) GTEST_SKIP() << why;
  }

  // Runs to its end. Only agent 0 may have printed its output.
  Done over_two(const std::vector<std::string>& arguments,
                const std::map<std::string, std::string>& environment = {},
                const std::string& first = "") {
    Command command(arguments, folder_, environment, two_agents(first));
    return ended(command);
  }

  Done ended(Command& command) {
    Done done = command.finish();
    EXPECT_TRUE(command.all_gone()) << "processes are left of: " << done.output;
    done.code = code(0);
    return done;
  }

  // The exit code of agent `index`.
  int code(int index) {
    std::ifstream file(folder_.path() / ("code." + std::to_string(index)));
    int code = -1;
    file >> code;
    return code;
  }

  Json watched() { return read_json(folder_.path() / "out/results.json").at("runs").at(0); }

  const Folder folder_;
};

TEST_F(Agents, AreRightAboutTimesOfClocksThatAreApart) {
  if (shell("unshare -T --monotonic 500 true 2> /dev/null", folder_) != 0) {
    GTEST_SKIP() << "this machine gives no time namespaces";
  }
  // The clocks of all agents except agent 0 are 500 s ahead.
  const std::string command =
      "mpiexec -n 2 sh -c 'test $PMI_RANK = 0 || ahead=\"unshare -T --monotonic 500\"; "
      "exec $ahead " GRIDLOCK_PROGRAM " run --backend sim uneven_batches --output out' > log 2>&1";
  ASSERT_EQ(shell(command, folder_), 0);
  const Json results = read_json(folder_.path() / "out" / "results.json");
  EXPECT_EQ(results["context"]["agents"].size(), 2U);
  const double error_us = results["context"]["clock_error_us"];
  EXPECT_GT(error_us, 0);
  constexpr double kSecond = 1e6;
  EXPECT_LT(error_us, kSecond);
  int deadlocks = 0;
  for (const Json& run : results["runs"]) {
    EXPECT_EQ(run["as_declared"], true) << run["variant"];
    if (run["outcome"] != "deadlock") continue;
    ++deadlocks;
    // Far below 500 s, even on a slow machine.
    constexpr double kFarLess = 100e3;
    EXPECT_LT(run["time_to_hang_ms"].get<double>(), kFarLess);
    EXPECT_LT(run["time_to_detect_ms"].get<double>(), kFarLess);
  }
  EXPECT_EQ(deadlocks, 2);
}

TEST_F(Agents, OneAloneRefusesASplitForTwo) {
  const Done done = gridlock({"run", "uneven_batches/join", "-n", "3+5"}, folder_);
  EXPECT_EQ(done.code, 2) << done.output;
  EXPECT_NE(done.output.find("-n 3+5 is for 2 agents"), std::string::npos) << done.output;
}

TEST_F(Agents, WatchAProgramThatHangs) {
  const Done done = over_two({"watch", "-n", "4", "--output", "out", "--", program("skips_one")});
  EXPECT_EQ(done.code, 1) << done.output;
  EXPECT_EQ(code(1), 0);
  EXPECT_NE(done.output.find("deadlock (rank_exited): rank 3 is to blame"), std::string::npos)
      << done.output;
  const Json run = watched();
  EXPECT_EQ(run.at("culprits"), Json::array({3}));
  EXPECT_EQ(run.at("waiting").at(0).at("ranks"), Json::array({0, 1, 2}));
  // The black boxes of both agents' ranks, kept by one, give the verdict again.
  const Done again = gridlock({"diagnose", "out/runs/skips_one"}, folder_);
  EXPECT_NE(again.output.find("rank 3 is to blame"), std::string::npos) << again.output;
}

TEST_F(Agents, WatchAProgramThatCompletes) {
  const Done done = over_two({"watch", "-n", "2+1", "--output", "out", "--", "sh", "-c",
                              "echo I am $RANK of $WORLD_SIZE, $LOCAL_RANK here"});
  EXPECT_EQ(done.code, 0) << done.output;
  for (const char* says : {"[rank 0] I am 0 of 3, 0 here", "[rank 1] I am 1 of 3, 1 here",
                           "[rank 2] I am 2 of 3, 2 here", "gridlock: completes"}) {
    EXPECT_NE(done.output.find(says), std::string::npos) << says << "\n" << done.output;
  }
  EXPECT_EQ(watched().at("ranks"), 3);
}

TEST_F(Agents, WatchAProgramThatFailsOnTheOtherAgent) {
  const Done done = over_two({"watch", "-n", "4", "--output", "out", "--", "sh", "-c",
                              "test $RANK != 2 || { echo no memory; exit 7; }"});
  EXPECT_EQ(done.code, 1) << done.output;
  EXPECT_NE(done.output.find("fails: rank 2 is to blame"), std::string::npos) << done.output;
  EXPECT_NE(done.output.find("rank 2: exited with code 7"), std::string::npos) << done.output;
  std::ifstream kept(folder_.path() / "out/runs/sh/output.txt");
  std::string line;
  std::getline(kept, line);
  EXPECT_EQ(line, "[rank 2] no memory");
}

TEST_F(Agents, WatchNothingThatIsNotThere) {
  const Done done = over_two({"watch", "-n", "2", "--output", "out", "--", "/nowhere/train"});
  EXPECT_EQ(done.code, 3) << done.output;
  EXPECT_NE(done.output.find("cannot start /nowhere/train"), std::string::npos) << done.output;
}

TEST_F(Agents, GoOnAfterAStartThatFailsOnAgent0) {
  // Too few descriptors for the black boxes of the first run; the second has enough.
  const Done done = over_two(
      {"run", "--backend", "sim", "--output", "out", "-n", "64,2", "uneven_batches/drop_last"}, {},
      "test $PMI_RANK != 0 || ulimit -n 80; ");
  EXPECT_EQ(done.code, 3) << done.output;
  EXPECT_EQ(done.output.find("is lost"), std::string::npos) << done.output;
  const Json runs = read_json(folder_.path() / "out/results.json").at("runs");
  ASSERT_EQ(runs.size(), 2U) << done.output;
  EXPECT_EQ(runs.at(0).at("status"), "error");
  EXPECT_EQ(runs.at(1).at("status"), "judged") << done.output;
  EXPECT_EQ(runs.at(1).at("as_declared"), true);
}

TEST_F(Agents, RunWithoutTheRecorderOnBoth) {
  const std::filesystem::path home = folder_.path() / "home";
  // Rank 1, on the other agent, hangs under the recorder alone.
  make_installation(home,
                    {{"one", scripted({.variant = "bug", .role = "broken", .outcome = "stall"},
                                      "test -z \"$GRIDLOCK_BOXES\" || test $RANK = 0 || "
                                      "sleep 1000\n" +
                                          kCompletes)}});
  over_two(
      {"run", "--observer-check", "--stall-limit", "200ms", "--run-limit", "4s", "--output", "out"},
      {{"GRIDLOCK_HOME", home.string()}});
  const Json observer = watched().at("observer");
  EXPECT_EQ(observer.at("recorded"), "silent");
  EXPECT_EQ(observer.at("unrecorded"), "completes");
}

// How a command ends if it has lost agent 1, in a run or between two runs.
void expect_lost(const Done& done) {
  EXPECT_EQ(done.code, 3) << done.output;
  EXPECT_NE(done.output.find("agent 1 on "), std::string::npos) << done.output;
  EXPECT_NE(done.output.find(" is lost: its connection "), std::string::npos) << done.output;
}

TEST_F(Agents, ASoakEndsWhenOneIsLost) {
  Command command({"soak", "--backend", "sim", "--for", "1h", "--output", "out", "uneven_batches"},
                  folder_, {}, two_agents());
  ASSERT_TRUE(command.wait_for("Soak of"));
  kill(command.agent(1), SIGKILL);
  const Done done = ended(command);
  expect_lost(done);
  EXPECT_NE(done.output.find("what was found until then is in out"), std::string::npos)
      << done.output;
  const Json json = read_json(folder_.path() / "out/soak.json");
  EXPECT_NE(json.at("ended").get<std::string>().find("is lost"), std::string::npos) << json;
  // The run that was cut off blames no rank, and is not counted.
  EXPECT_EQ(json.at("total").at("runs"), json.at("total").at("as_declared")) << json;
}

TEST_F(Agents, ASoakSaysOnceWhatItSkips) {
  const Done done =
      over_two({"soak", "--backend", "sim", "--for", "5s", "--output", "out", "--no-delays",
                "mpi_barrier/barrier_first", "uneven_batches/drop_last"});
  EXPECT_EQ(done.code, 0) << done.output;
  const std::size_t skipped = done.output.find("skip  mpi_barrier/barrier_first");
  ASSERT_NE(skipped, std::string::npos) << done.output;
  EXPECT_EQ(done.output.find("skip ", skipped + 1), std::string::npos) << done.output;
  const Json json = read_json(folder_.path() / "out/soak.json");
  EXPECT_GT(json.at("variants").at("uneven_batches/drop_last").at("runs"), 1) << json;
}

TEST_F(Agents, AnAcceptanceEndsWhenOneIsLost) {
  std::ofstream(folder_.path() / "p.toml")
      << "summary = \"a test\"\nbackend = \"sim\"\nranks = 4\n[[scenario]]\n"
         "run = \"uneven_batches/drop_last\"\n[[soak]]\nfor = \"1h\"\nlimit = \"2h\"\n"
         "run = [\"uneven_batches/*\"]\n";
  Command command({"accept", "p.toml", "--output", "out"}, folder_, {}, two_agents());
  ASSERT_TRUE(command.wait_for("uneven_batches/drop_last@4:"));
  kill(command.agent(1), SIGKILL);
  const Done done = ended(command);
  expect_lost(done);
  EXPECT_NE(done.output.find("after 1 of 2 checks; continue with"), std::string::npos)
      << done.output;
}

TEST_F(Agents, NameTheGpuOfACulpritOnAnother) {
  const std::filesystem::path home = folder_.path() / "home";
  const std::string trains =
      scripted({.name = "healthy_training", .variant = "good", .backend = "cuda", .ranks = 4},
               "if [ $RANK = 3 ]; then exit 7; fi\n" + kCompletes);
  make_installation(home, {{"healthy_training", trains}}, "cuda");
  std::ofstream(folder_.path() / "p.toml")
      << "summary = \"a test\"\nbackend = \"cuda\"\n[[scenario]]\nrun = "
         "\"healthy_training/good\"\n";
  // Agent 0 may use one GPU, agent 1 three others.
  const Done done = over_two({"accept", "p.toml", "--output", "out"},
                             {{"GRIDLOCK_HOME", home.string()},
                              {"LD_LIBRARY_PATH", GRIDLOCK_TEST_NVML},
                              {"TEST_NVML_GPUS", "4"}},
                             "export CUDA_VISIBLE_DEVICES=$(test $PMI_RANK = 0 && echo 0 || echo "
                             "1,2,3); ");
  EXPECT_EQ(done.code, 1) << done.output;
  const Json results = read_json(folder_.path() / "out/acceptance.json");
  // One rank on each GPU.
  const Json check = results.at("checks").at(0);
  EXPECT_EQ(check.at("id"), "healthy_training/good@4") << check;
  const Json culprit = check.at("culprits").at(0);
  EXPECT_EQ(culprit.at("rank"), 3);
  EXPECT_EQ(culprit.at("gpu").at("uuid"), "GPU-bbbbbbbb");  // LOCAL_RANK 3 of three
  EXPECT_EQ(culprit.at("gpu").at("serial"), "165001");
  EXPECT_NE(done.output.find("GPU-bbbbbbbb"), std::string::npos) << done.output;
}

}  // namespace
}  // namespace gridlock::end_to_end
