// `gridlock watch` on programs in which threads and processes act or sleep besides the threads that
// make calls.
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/end_to_end/command.h"

namespace gridlock::end_to_end {
namespace {

nlohmann::json watched(const std::vector<std::string>& arguments, const Folder& folder) {
  std::vector<std::string> all{"watch", "--json", "out.json"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const Done done = gridlock(all, folder);
  SCOPED_TRACE(done.output);
  nlohmann::json run = read_json(folder.path() / "out.json").at("runs").at(0);
  run["shown"] = done.output;
  return run;
}

class Idle : public testing::TestWithParam<const char*> {};

TEST_P(Idle, AThreadThatNobodyCanWakeKeepsNobodyAlive) {
  const Folder folder;
  const auto run =
      watched({"-n", "3", "--on-stall", "kill", "--", program("idles"), GetParam()}, folder);
  EXPECT_EQ(run.at("outcome"), "deadlock") << run.at("shown");
  EXPECT_EQ(run.at("culprits"), nlohmann::json({2})) << run.at("shown");
  EXPECT_EQ(run.at("assumptions"), nlohmann::json::array()) << run.at("shown");
}

INSTANTIATE_TEST_SUITE_P(Places, Idle, testing::Values("condition", "join", "helper"));

TEST(Actors, AThreadThatIsLateForItsFirstCallIsWaitedFor) {
  const Folder folder;
  const auto run = watched({"-n", "1", "--", program("late_thread")}, folder);
  EXPECT_EQ(run.at("outcome"), "completes") << run.at("shown");
}

TEST(Actors, NoNameMakesAThreadALibrarys) {
  const Folder folder;
  const auto link = folder.path() / "nccl_train";
  ASSERT_EQ(symlink(program("late_thread").c_str(), link.c_str()), 0);
  const auto run = watched({"-n", "1", "--strict", "--", link.string()}, folder);
  EXPECT_EQ(run.at("outcome"), "completes") << run.at("shown");
}

TEST(Actors, AnAlarmsHandlerMayAct) {
  const Folder folder;
  const auto run = watched({"-n", "2", "--", program("handles_alarm")}, folder);
  EXPECT_EQ(run.at("outcome"), "completes") << run.at("shown");
}

TEST(Actors, ALauncherMayStartItsRanksAnew) {
  const Folder folder;
  const std::string launcher =
      "export WORLD_SIZE=2 NCCL_COMM_ID=127.0.0.1:29741\n"
      "RANK=0 LOCAL_RANK=0 " +
      program("meets") +
      " & a=$!; RANK=1 LOCAL_RANK=1 /bin/false; sleep 0.5; kill -9 $a\n"
      "export NCCL_COMM_ID=127.0.0.1:29742; RANK=0 LOCAL_RANK=0 " +
      program("meets") + " & RANK=1 LOCAL_RANK=1 " + program("meets") + "; wait $!";
  const auto run =
      watched({"-n", "2", "--ranks-by-program", "--", "/bin/sh", "-c", launcher}, folder);
  EXPECT_EQ(run.at("outcome"), "completes") << run.at("shown");
}

TEST(Actors, RanksThatLeaveTheirParentAreFollowed) {
  const Folder folder;
  const auto run = watched(
      {"-n", "2", "--", "/bin/sh", "-c", program("skips_one") + " & sleep 0.3; exit 0"}, folder);
  EXPECT_EQ(run.at("outcome"), "deadlock") << run.at("shown");
}

TEST(Actors, ARankThatHasNotBegunMayCompute) {
  const Folder folder;
  const auto run = watched({"-n", "1", "--stall-limit", "100ms", "--on-stall", "kill", "--",
                            "/bin/sh", "-c", "i=0; while [ $i -lt 1500000 ]; do i=$((i+1)); done"},
                           folder);
  EXPECT_EQ(run.at("outcome"), "completes") << run.at("shown");
}

TEST(Actors, AStallIsToldAndWatchedOn) {
  const Folder folder;
  const auto run =
      watched({"-n", "2", "--stall-limit", "100ms", "--", "/bin/sh", "-c", "sleep 2"}, folder);
  EXPECT_EQ(run.at("outcome"), "completes") << run.at("shown");
  const std::string shown = run.at("shown");
  const std::size_t told = shown.find("gridlock: stall (host_stuck)");
  EXPECT_NE(told, std::string::npos) << shown;
  EXPECT_EQ(shown.find("gridlock: stall", told + 1), std::string::npos) << "once is enough";
}

}  // namespace
}  // namespace gridlock::end_to_end
