// The protocol between agents, over a pair of sockets: what a follower answers, and how silence or
// nonsense ends it.
#include "harness/agents/follower.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "harness/agents/beats.h"
#include "harness/agents/leader.h"
#include "harness/base/error.h"
#include "harness/catalogue/gpus.h"

namespace gridlock::agents {
namespace {

struct Pair {
  Pair() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    here = std::make_unique<Channel>(FileDescriptor(ends[0]));
    there = std::make_unique<Channel>(FileDescriptor(ends[1]));
  }
  std::unique_ptr<Channel> here;
  std::unique_ptr<Channel> there;
};

const catalogue::Installation kNowhere{.root = "/nowhere"};

// A follower in its own thread. Its end is a text: what it threw, or its exit code.
class Following {
 public:
  explicit Following(Channel& channel, const catalogue::Installation& installation = kNowhere)
      : thread_([this, &channel, &installation] {
          const Beats beats({&channel});
          try {
            end_ = "code " + std::to_string(Follower(channel, installation, interrupts_).run());
          } catch (const std::exception& error) {
            end_ = error.what();
          }
        }) {}
  const std::string& end() {
    if (thread_.joinable()) thread_.join();
    return end_;
  }

 private:
  processes::Interrupts interrupts_;
  std::string end_;
  std::thread thread_;
};

std::vector<Listener::Guest> guest(std::unique_ptr<Channel> channel, const std::string& version) {
  std::vector<Listener::Guest> guests;
  guests.push_back(
      {.greeting =
           {.secret = {}, .index = 1, .host = "there", .machine = "there", .version = version},
       .channel = std::move(channel),
       .address = "127.0.0.1"});
  return guests;
}

const Greeting kHere{
    .secret = {}, .index = 0, .host = "here", .machine = "here", .version = "of today"};

run::Job job_of(std::vector<std::string> command) {
  run::Job job;
  job.command = std::move(command);
  job.ranks = 2;
  job.recorded = false;  // there is no recorder in kNowhere
  return job;
}

TEST(Follower, StartsLooksAtAndCollectsItsRanks) {
  Pair pair;
  Following following(*pair.there);
  {
    Leader leader(kHere, guest(std::move(pair.here), "of today"), kNowhere);
    run::Job job = job_of({"sh", "-c", "echo $RANK of $WORLD_SIZE at $LOCAL_RANK; exit 7"});
    leader.start(job);
    EXPECT_EQ(leader.started(), "");
    ASSERT_TRUE(job.share);
    EXPECT_EQ(job.share->ranks, 1);
    EXPECT_NE(job.master_port, 0);
    std::vector<record::Snapshot> snapshots(2);
    run::Fellows::Looked looked{.all_ended = false};
    while (!looked.all_ended) {
      leader.ask(run::Depth::boxes, detect::Ledger());
      looked = leader.take(snapshots);
      ASSERT_EQ(leader.lost(), "");
    }
    EXPECT_EQ(snapshots[1].rank, 1);
    EXPECT_EQ(snapshots[1].process, record::ProcessState::exited);
    std::vector<run::RankEnd> ends(2);
    leader.collect(ends);
    ASSERT_TRUE(ends[1].ending);
    EXPECT_EQ(ends[1].ending->code, 7);
    EXPECT_EQ(ends[1].output, "1 of 2 at 0\n");
    EXPECT_GT(leader.clock_error().count(), 0);
  }
  EXPECT_EQ(following.end(), "code 0");
}

TEST(Follower, SaysWhyARankCannotBeStarted) {
  Pair pair;
  Following following(*pair.there);
  {
    Leader leader(kHere, guest(std::move(pair.here), "of today"), kNowhere);
    run::Job job = job_of({"/tmp/nowhere/program"});
    leader.start(job);
    const std::string fault = leader.started();
    EXPECT_NE(fault.find("agent 1 on there"), std::string::npos) << fault;
    EXPECT_NE(fault.find("/tmp/nowhere/program"), std::string::npos) << fault;
    leader.kill();
    EXPECT_EQ(leader.killed(), 0U);
    EXPECT_EQ(leader.lost(), "");
  }
  EXPECT_EQ(following.end(), "code 0");
}

TEST(Follower, DelaysItsRanksUntilItIsToldNotTo) {
  Pair pair;
  Following following(*pair.there);
  {
    Leader leader(kHere, guest(std::move(pair.here), "of today"), kNowhere);
    EXPECT_EQ(leader.end_delays().count, 0);  // none were requested
    run::Job job = job_of({"sleep", "1000"});
    leader.start(job);
    EXPECT_EQ(leader.started(), "");
    run::Delayed made;
    while (made.count == 0) {
      leader.begin_delays(7);
      usleep(200'000);
      made = leader.end_delays();
    }
    EXPECT_GE(made.total, made.count * kShortestDelay);
    EXPECT_EQ(leader.end_delays().count, 0);
    leader.kill();
    EXPECT_EQ(leader.killed(), 0U);
    EXPECT_EQ(leader.lost(), "");
  }
  EXPECT_EQ(following.end(), "code 0");
}

// A folder with a stand-in for the program that asks the driver.
class WithGpus {
 public:
  explicit WithGpus(const std::string& gpus) {
    std::string name = "/tmp/gridlock-test-XXXXXX";
    installation_.root = mkdtemp(name.data());
    std::ofstream(installation_.gpus()) << "#!/bin/sh\necho '{\"driver\":\"580.1\",\"cuda\":13000,"
                                        << "\"fault\":\"\",\"gpus\":[" << gpus << "]}'\n";
    std::filesystem::permissions(installation_.gpus(), std::filesystem::perms::owner_all);
  }
  WithGpus(const WithGpus&) = delete;
  WithGpus& operator=(const WithGpus&) = delete;
  ~WithGpus() {
    std::error_code ignored;
    std::filesystem::remove_all(installation_.root, ignored);
  }
  const catalogue::Installation& installation() const { return installation_; }

 private:
  catalogue::Installation installation_;
};

TEST(Follower, TellsWhichGpusItsRanksMayUse) {
  const WithGpus here(R"({"name":"H200","uuid":"GPU-a","serial":"165000"})");
  const WithGpus there(R"({"name":"H200","uuid":"GPU-b","serial":"165001"},)"
                       R"({"name":"H200","uuid":"GPU-c","serial":""})");
  Pair pair;
  Following following(*pair.there, there.installation());
  {
    Leader leader(kHere, guest(std::move(pair.here), "of today"), here.installation());
    const std::vector<catalogue::Gpus>& gpus = leader.gpus();
    ASSERT_EQ(gpus.size(), 2U);
    ASSERT_EQ(gpus[0].devices.size(), 1U);
    EXPECT_EQ(gpus[0].devices[0].uuid, "GPU-a");
    EXPECT_EQ(gpus[1].count, 2);
    EXPECT_EQ(gpus[1].driver, "580.1");
    ASSERT_EQ(gpus[1].devices.size(), 2U);
    EXPECT_EQ(gpus[1].devices[0].name, "H200");
    EXPECT_EQ(gpus[1].devices[0].uuid, "GPU-b");
    EXPECT_EQ(gpus[1].devices[0].serial, "165001");
    EXPECT_EQ(gpus[1].devices[1].uuid, "GPU-c");
    // Three ranks on three GPUs: one here, two there.
    run::Job job = job_of({"true"});
    job.ranks = 3;
    job.gpus = run::GpuSet{};
    leader.start(job);
    EXPECT_EQ(leader.started(), "");
    EXPECT_EQ(job.share->ranks, 1);
    EXPECT_EQ(leader.agents()[1].share.ranks, 2);
    EXPECT_EQ(job.gpus->count, kMaxRanks);  // no ranks share
    leader.kill();
    EXPECT_EQ(leader.killed(), 0U);
    job = job_of({"true"});
    job.ranks = 4;
    job.gpus = run::GpuSet{};
    leader.start(job);
    EXPECT_EQ(leader.started(), "");
    EXPECT_EQ(leader.agents()[1].share.ranks, 2);  // evenly, because ranks must share
    EXPECT_EQ(job.gpus->count, 0);
    leader.kill();
    EXPECT_EQ(leader.killed(), 0U);
  }
  EXPECT_EQ(following.end(), "code 0");
}

TEST(Follower, SaysWhyItsDriverDoesNotAnswer) {
  const WithGpus here(R"({"name":"H200","uuid":"GPU-a","serial":"165000"})");
  Pair pair;
  Following following(*pair.there);  // has no program to ask
  {
    Leader leader(kHere, guest(std::move(pair.here), "of today"), here.installation());
    const std::string& fault = leader.gpus()[1].fault;
    EXPECT_TRUE(fault.starts_with("agent 1 on there: ")) << fault;
    EXPECT_TRUE(leader.gpus()[1].is_broken);
  }
  EXPECT_EQ(following.end(), "code 0");
}

TEST(Follower, EndsWhenTheLeaderIsGone) {
  Pair pair;
  Following following(*pair.there);
  pair.here.reset();
  EXPECT_NE(following.end().find("agent 0 is lost"), std::string::npos);
}

TEST(Follower, EndsWhenNothingIsHeardOfTheLeader) {
  Pair pair;
  Following following(*pair.there);  // this side sends no beats
  EXPECT_NE(following.end().find("it was silent for"), std::string::npos);
}

TEST(Follower, RefusesWhatNoLeaderAsks) {
  for (const std::string& nonsense :
       {std::string("\x63"), std::string(), std::string("\x02\x01")}) {
    Pair pair;
    Following following(*pair.there);
    pair.here->send(nonsense);
    EXPECT_NE(following.end().find("message"), std::string::npos);
  }
}

TEST(Leader, TakesAnAgentThatTalksNonsenseForLost) {
  Pair pair;
  std::thread fake([&] {
    const Beats beats({pair.there.get()});
    while (const auto question = pair.there->wait()) pair.there->send("\xff\xff\xff");
  });
  {
    Leader leader(kHere, guest(std::move(pair.here), "of today"), kNowhere);
    EXPECT_NE(leader.lost().find("agent 1 on there is lost"), std::string::npos);
    EXPECT_EQ(leader.lost_ranks().size(), 0U);  // no job yet
  }
  fake.join();
}

TEST(Leader, RefusesAnotherVersion) {
  Pair pair;
  EXPECT_THROW(Leader(kHere, guest(std::move(pair.here), "of yesterday"), kNowhere), MachineError);
}

}  // namespace
}  // namespace gridlock::agents
