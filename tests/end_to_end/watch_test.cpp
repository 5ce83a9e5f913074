// `gridlock watch` on ordinary programs.
#include <gtest/gtest.h>

#include "tests/end_to_end/command.h"

namespace gridlock::end_to_end {
namespace {

TEST(Watch, LetsAHealthyProgramEnd) {
  const Folder folder;
  const Done done =
      gridlock({"watch", "-n", "4", "--json", "out.json", "--", program("healthy")}, folder);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_NE(done.output.find("[rank 2] rank 2 of 4 is done"), std::string::npos) << done.output;
  const auto results = read_json(folder.path() / "out.json");
  EXPECT_EQ(results.at("schema"), "gridlock.results/1");
  EXPECT_EQ(results.at("runs").at(0).at("outcome"), "completes");
  EXPECT_EQ(results.at("context").at("backend"), "sim");
}

TEST(Watch, HandsAllBehindTheDashesToTheProgram) {
  const Folder folder;
  const Done done = gridlock({"watch", "-n", "2", "--", "/bin/sh", "-c", "echo got \"$@\"", "sh",
                              "--epochs=3", "-n", "5", "--json", "--", "-"},
                             folder);
  EXPECT_NE(done.output.find("[rank 1] got --epochs=3 -n 5 --json -- -"), std::string::npos)
      << done.output;
}

// Runs `gridlock watch` on the program with 4 ranks. The others wait in a deadlock, for which the
// last rank is to blame. `run` is the run's entry in the results.
struct Deadlocked {
  Deadlocked(const std::string& name, const std::string& cause) {
    const Folder folder;
    done = gridlock({"watch", "-n", "4", "--json", "out.json", "--", program(name)}, folder);
    EXPECT_EQ(done.code, 1) << done.output;
    run = read_json(folder.path() / "out.json").at("runs").at(0);
    EXPECT_EQ(run.at("outcome"), "deadlock");
    EXPECT_EQ(run.at("cause"), cause);
    EXPECT_EQ(run.at("culprits"), nlohmann::json({3}));
    wait = run.at("waiting").at(0);
    EXPECT_EQ(wait.at("ranks"), nlohmann::json({0, 1, 2}));
  }

  Done done;
  nlohmann::json run;
  nlohmann::json wait;
};

TEST(Watch, NamesTheRankThatLeftACollectiveOut) {
  const auto [done, run, wait] = Deadlocked("skips_one", "rank_exited");
  EXPECT_EQ(run.at("waiting").size(), 1U);
  EXPECT_EQ(wait.at("operation"), "all_reduce");
  EXPECT_EQ(wait.at("slot"), 5);
  EXPECT_EQ(wait.at("host_call"), "stream_synchronize");
  // The function that made the call, and its line.
  EXPECT_EQ(wait.at("caller").get<std::string>().find("add_up (skips_one.cpp:"), 0U) << wait;
  EXPECT_NE(done.output.find("rank 3 is to blame"), std::string::npos) << done.output;
}

TEST(Watch, ACallThatNcclRefusedWasNotMade) {
  const Deadlocked deadlocked("is_refused", "rank_exited");
  EXPECT_EQ(deadlocked.run.at("waiting").size(), 1U);
  EXPECT_EQ(deadlocked.wait.at("slot"), 5);
}

TEST(Watch, ASplitThatNcclRefusedIsMissing) {
  const Deadlocked deadlocked("split_is_refused", "missing_rank");
  EXPECT_EQ(deadlocked.wait.at("operation"), "comm_split");
}

// Nothing moves for several times the stall limit, but only because of the kernel.
void expect_no_stall(const char* name, const char* limit) {
  const Folder folder;
  const Done done = gridlock({"watch", "-n", "2", "--on-stall", "kill", "--stall-limit", limit,
                              "--json", "out.json", "--", program(name)},
                             folder);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_EQ(read_json(folder.path() / "out.json").at("runs").at(0).at("outcome"), "completes");
}

TEST(Watch, ARankThatIsBeingTornDownIsNoStall) { expect_no_stall("ends_slowly", "50ms"); }

TEST(Watch, ARankThatTheKernelHoldsIsNoStall) { expect_no_stall("held_by_kernel", "200ms"); }

TEST(Watch, GivesTheSameVerdictOnTheBoxesLater) {
  const Folder folder;
  gridlock({"watch", "-n", "3", "--output", "out", "--", program("skips_one")}, folder);
  const Done done = gridlock({"diagnose", "out/runs/skips_one"}, folder);
  EXPECT_EQ(done.code, 1);
  EXPECT_NE(done.output.find("deadlock (rank_exited): rank 2 is to blame"), std::string::npos)
      << done.output;
}

TEST(Watch, KnowsTheRanksLaterThatMadeNoCall) {
  const Folder folder;
  // Rank 1 ends, and neither has claimed its box.
  const Done first =
      gridlock({"watch", "-n", "2", "--on-stall", "kill", "--stall-limit", "200ms", "--output",
                "out", "--", "/bin/sh", "-c", "test $RANK = 1 || exec sleep 1000"},
               folder);
  const Done done = gridlock({"diagnose", "out/runs/sh"}, folder);
  EXPECT_EQ(done.code, 1) << done.output;
  // The rank that had ended is not to blame, and both ranks have their numbers.
  const std::string says = "stall (host_stuck): rank 0 is to blame";
  EXPECT_NE(first.output.find(says), std::string::npos) << first.output;
  EXPECT_NE(done.output.find(says), std::string::npos) << done.output;
}

// Nothing is ended: not all of the job stands still.
TEST(Watch, TellsOfRanksThatHangWhileOthersGoOn) {
  for (const std::string on_stall : {"report", "kill"}) {
    const Folder folder;
    const Done done = gridlock({"watch", "-n", "4", "--on-stall", on_stall, "--stall-limit",
                                "500ms", "--", program("part_hangs")},
                               folder);
    EXPECT_EQ(done.code, 0) << done.output;
    for (const char* says :
         {"stall (host_stuck): rank 1 is to blame", "rank 0 waits in all_reduce #1",
          "main thread asleep in read", "anks 2, 3 go on; a call of rank 0",
          "Gridlock goes on watching: not all of the job stands still."}) {
      EXPECT_NE(done.output.find(says), std::string::npos) << says << " in " << done.output;
    }
    const std::size_t first = done.output.find("goes on watching");
    EXPECT_EQ(done.output.find("goes on watching", first + 1), std::string::npos)
        << "it is told once";
  }
}

TEST(Watch, StartsALauncherOnce) {
  const Folder folder;
  // A launcher like torchrun: it sets the ranks' environment and starts them.
  const std::string launcher =
      "export WORLD_SIZE=3 MASTER_ADDR=127.0.0.1 MASTER_PORT=29731\n"
      "for r in 0 1 2; do RANK=$r LOCAL_RANK=$r " +
      program("skips_one") + " & done; wait";
  const Done done = gridlock({"watch", "-n", "3", "--ranks-by-program", "--json", "out.json", "--",
                              "/bin/sh", "-c", launcher},
                             folder);
  EXPECT_EQ(done.code, 1) << done.output;
  const auto run = read_json(folder.path() / "out.json").at("runs").at(0);
  EXPECT_EQ(run.at("outcome"), "deadlock") << done.output;
  EXPECT_EQ(run.at("culprits"), nlohmann::json({2}));
}

TEST(Watch, AsksHowManyRanksALauncherStarts) {
  const Folder folder;
  const Done done = gridlock({"watch", "--ranks-by-program", "--", "/bin/true"}, folder);
  EXPECT_EQ(done.code, 2) << done.output;
  EXPECT_NE(done.output.find("needs -n"), std::string::npos) << done.output;
}

TEST(Watch, SaysIfItWatchesAPartOfTheRanks) {
  const Folder folder;
  const std::string launcher =
      "export WORLD_SIZE=3 MASTER_ADDR=127.0.0.1 MASTER_PORT=29733\n"
      "for r in 0 1 2; do RANK=$r LOCAL_RANK=$r " +
      program("skips_one") + " & done; wait";
  const Done done = gridlock({"watch", "-n", "1", "--ranks-by-program", "--on-stall", "kill",
                              "--stall-limit", "3s", "--", "/bin/sh", "-c", launcher},
                             folder);
  EXPECT_EQ(done.code, 1) << done.output;
  EXPECT_NE(done.output.find("The job has 3 ranks (WORLD_SIZE), and of these only 1 is watched"),
            std::string::npos)
      << done.output;
}

TEST(Watch, RefusesToShareGpusAmongALaunchersRanks) {
  const Folder folder;
  const Done done = gridlock(
      {"watch", "-n", "2", "--ranks-by-program", "--share-gpus", "--", "/bin/true"}, folder);
  EXPECT_EQ(done.code, 2) << done.output;
  EXPECT_NE(done.output.find("set NCCL_HOSTID in each rank"), std::string::npos) << done.output;
}

TEST(Watch, ARankThatItsLauncherHasNotReapedIsGone) {
  const Folder folder;
  // A launcher that waits for its ranks in order. The last rank ends first, so it stays a zombie.
  const std::string launcher =
      "export WORLD_SIZE=3 MASTER_ADDR=127.0.0.1 MASTER_PORT=29732\n"
      "for r in 0 1 2; do RANK=$r LOCAL_RANK=$r " +
      program("skips_one") + " & done; exec sleep 1000";
  const Done done = gridlock({"watch", "-n", "3", "--ranks-by-program", "--stall-limit", "3s",
                              "--json", "out.json", "--", "/bin/sh", "-c", launcher},
                             folder);
  EXPECT_EQ(done.code, 1) << done.output;
  const auto run = read_json(folder.path() / "out.json").at("runs").at(0);
  EXPECT_EQ(run.at("outcome"), "deadlock") << done.output;
  EXPECT_EQ(run.at("cause"), "rank_exited");
  EXPECT_EQ(run.at("culprits"), nlohmann::json({2}));
}

TEST(Watch, ARankMayStartItsNextProgramLaterThanTheOthers) {
  const Folder folder;
  const std::string both = "NCCL_COMM_ID=127.0.0.1:29733 " + program("meets") +
                           " && { [ $RANK = 0 ] || sleep 0.7; NCCL_COMM_ID=127.0.0.1:29734 " +
                           program("meets") + "; }";
  const Done done = gridlock({"watch", "-n", "3", "--", "/bin/sh", "-c", both}, folder);
  EXPECT_EQ(done.code, 0) << done.output;
}

TEST(Watch, DrainsAProgramThatPrintsWithoutEnd) {
  const Folder folder;
  const std::string prints =
      "i=0; while [ $i -lt 400 ]; do head -c 10000 /dev/zero | tr '\\0' x; i=$((i+1)); done";
  const Done done = gridlock(
      {"watch", "-n", "2", "--output", "out", "--", "/bin/sh", "-c", prints + "; echo end"},
      folder);
  EXPECT_EQ(done.code, 0);
  EXPECT_NE(done.output.find("end"), std::string::npos);
}

TEST(Watch, ShowsALastLineThatIsNotEnded) {
  const Folder folder;
  const Done one = gridlock({"watch", "--", "/bin/sh", "-c", "printf 'loss 0.1'"}, folder);
  EXPECT_NE(one.output.find("loss 0.1\n"), std::string::npos) << one.output;
  const Done hangs = gridlock({"watch", "-n", "2", "--on-stall", "kill", "--stall-limit", "200ms",
                               "--", "/bin/sh", "-c", "printf '10%%\\r20%%'; exec sleep 1000"},
                              folder);
  EXPECT_NE(hangs.output.find("[rank 1] 10%\n"), std::string::npos) << hangs.output;
  EXPECT_NE(hangs.output.find("[rank 1] 20%\n"), std::string::npos) << hangs.output;
}

TEST(Watch, SaysWhatTheJobLeftRunningAndIsEndedWithIt) {
  const Folder folder;
  const Done done =
      gridlock({"watch", "-n", "1", "--", "/bin/sh", "-c", "sleep 100 >/dev/null 2>&1 &"}, folder);
  EXPECT_EQ(done.code, 0) << done.output;
  EXPECT_NE(done.output.find("The job left processes running, which Gridlock ended: "),
            std::string::npos)
      << done.output;
  EXPECT_NE(done.output.find(" (sleep)."), std::string::npos) << done.output;
}

TEST(Watch, CallsASilentProgramAStall) {
  const Folder folder;
  const Done done = gridlock({"watch", "-n", "2", "--on-stall", "kill", "--stall-limit", "200ms",
                              "--json", "out.json", "--", "/bin/sleep", "1000"},
                             folder);
  EXPECT_EQ(done.code, 1) << done.output;
  EXPECT_EQ(read_json(folder.path() / "out.json").at("runs").at(0).at("outcome"), "stall");
}

TEST(Watch, ARunLimitIsToldAsItWasGiven) {
  const Folder folder;
  const Done done = gridlock({"watch", "--run-limit", "1ms", "--", "/bin/sleep", "1000"}, folder);
  EXPECT_EQ(done.code, 1) << done.output;
  EXPECT_NE(done.output.find("The run limit of 1 ms is over."), std::string::npos) << done.output;
}

TEST(Watch, TellsItsVerdictAlsoWhereItCannotBeWritten) {
  const Folder folder;
  const Done done = gridlock(
      {"watch", "--output", "out", "--", "/bin/sh", "-c", "rm -r out && touch out && exit 7"},
      folder);
  EXPECT_EQ(done.code, 3) << done.output;
  EXPECT_NE(done.output.find("gridlock: fails: rank 0 is to blame"), std::string::npos)
      << done.output;
}

TEST(Watch, TellsACrashFromAFailure) {
  const Folder folder;
  gridlock({"watch", "--json", "one.json", "--", "/bin/sh", "-c", "kill -ABRT $$"}, folder);
  gridlock({"watch", "--json", "two.json", "--", "/bin/sh", "-c", "exit 7"}, folder);
  EXPECT_EQ(read_json(folder.path() / "one.json").at("runs").at(0).at("outcome"), "crashes");
  EXPECT_EQ(read_json(folder.path() / "two.json").at("runs").at(0).at("outcome"), "fails");
}

}  // namespace
}  // namespace gridlock::end_to_end
