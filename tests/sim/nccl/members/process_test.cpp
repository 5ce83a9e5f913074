// Ranks as processes: the same results, peers that die, NCCL_COMM_ID. Each test runs
// in a fresh process that forks its ranks before it touches a device.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

#include <cstring>

#include "sim/nccl/members/layout.h"
#include "tests/sim/nccl/ranks.h"

namespace {

using sim_test::check;
using sim_test::Device;
using sim_test::Rank;
using sim_test::require;
using sim_test::run_processes;

struct NcclProcess : testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

void all_reduce(const Rank& rank, ncclComm_t comm, const Device<int>& data, std::size_t count) {
  check(ncclAllReduce(data.data(), data.data(), count, ncclInt, ncclSum, comm, rank.stream));
}

TEST_F(NcclProcess, SmallAndLargeAllReduces) {
  EXPECT_EXIT(run_processes(4,
                            [](Rank& rank) {
                              rank.init();
                              for (const std::size_t count : {1UL, 500UL, 50'001UL}) {
                                const Device<int> data(count, rank.rank + 1);
                                for (int i = 0; i < 3; ++i)
                                  all_reduce(rank, rank.comm, data, count);
                                rank.synchronize();
                                require(data.read() == std::vector<int>(count, 10 * 4 * 4),
                                        "wrong sum");
                              }
                              check(ncclCommDestroy(rank.comm));
                            }),
              testing::ExitedWithCode(0), "");
}

#ifdef __SANITIZE_THREAD__
constexpr int kMany = 8;  // the address space has room for the memory of few processes
#else
constexpr int kMany = 64;
#endif

TEST_F(NcclProcess, ManyRanks) {
  setenv("GRIDLOCK_SIM_DEVICES", "64", 1);
  EXPECT_EXIT(
      run_processes(kMany,
                    [](Rank& rank) {
                      rank.init();
                      const Device<int> data(300, 1);
                      for (int i = 0; i < 3; ++i) {
                        check(ncclAllReduce(data.data(), data.data(), 300, ncclInt,
                                            i == 0 ? ncclSum : ncclMax, rank.comm, rank.stream));
                      }
                      rank.synchronize();
                      require(data.read() == std::vector<int>(300, kMany), "wrong sum");
                      check(ncclCommDestroy(rank.comm));
                    }),
      testing::ExitedWithCode(0), "");
}

TEST_F(NcclProcess, MessagesAndAllToAll) {
  EXPECT_EXIT(
      run_processes(
          3,
          [](Rank& rank) {
            rank.init();
            constexpr std::size_t kCount = 2'000'000;
            const Device<int> out(kCount, rank.rank);
            const Device<int> in(kCount);
            check(ncclGroupStart());
            check(
                ncclSend(out.data(), kCount, ncclInt, (rank.rank + 1) % 3, rank.comm, rank.stream));
            check(
                ncclRecv(in.data(), kCount, ncclInt, (rank.rank + 2) % 3, rank.comm, rank.stream));
            check(ncclGroupEnd());
            rank.synchronize();
            require(in.read() == std::vector<int>(kCount, (rank.rank + 2) % 3), "wrong message");
            const Device<int> blocks(std::vector<int>{rank.rank, rank.rank, rank.rank});
            const Device<int> all(3);
            check(ncclAlltoAll(blocks.data(), all.data(), 1, ncclInt, rank.comm, rank.stream));
            rank.synchronize();
            require(all.read() == std::vector<int>{0, 1, 2}, "wrong blocks");
            check(ncclCommDestroy(rank.comm));
          }),
      testing::ExitedWithCode(0), "");
}

// Rank 1 kills itself. The others are stuck, get an error, shrink, and go on.
void survive(Rank& rank) {
  rank.init();
  const Device<int> data(1000, 1);
  all_reduce(rank, rank.comm, data, 1000);
  rank.synchronize();
  if (rank.rank == 1) raise(SIGKILL);
  all_reduce(rank, rank.comm, data, 1000);
  ncclResult_t error = ncclSuccess;
  while (error == ncclSuccess) {
    check(ncclCommGetAsyncError(rank.comm, &error));
    sched_yield();
  }
  require(error == ncclRemoteError, "another error");
  require(rank.pending(), "the stream went on without the dead rank");
  require(ncclAllReduce(data.data(), data.data(), 1, ncclInt, ncclSum, rank.comm, rank.stream) ==
              ncclRemoteError,
          "work was accepted by a broken communicator");
  int dead[] = {1};
  ncclComm_t rest = nullptr;
  require(
      ncclCommShrink(rank.comm, dead, 1, &rest, nullptr, NCCL_SHRINK_DEFAULT) == ncclRemoteError,
      "a broken communicator was shrunk without the abort flag");
  check(ncclCommShrink(rank.comm, dead, 1, &rest, nullptr, NCCL_SHRINK_ABORT));
  rank.synchronize();
  const Device<int> again(1000, rank.rank);
  all_reduce(rank, rest, again, 1000);
  rank.synchronize();
  require(again.read() == std::vector<int>(1000, 0 + 2 + 3), "wrong sum after the shrink");
  check(ncclCommAbort(rank.comm));
  check(ncclCommDestroy(rest));
}

TEST_F(NcclProcess, AKilledPeerIsARemoteErrorAndCanBeShrunkAway) {
  EXPECT_EXIT(
      {
        const std::vector<int> statuses = sim_test::as_processes(4, survive);
        const bool right =
            statuses[0] == 0 && WIFSIGNALED(statuses[1]) && statuses[2] == 0 && statuses[3] == 0;
        _exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

// A rank learns of a dead peer only when it waits itself. If other ranks notice a death, NCCL still
// accepts a slow rank's call.
TEST_F(NcclProcess, OnlyWhoWaitsIsToldOfADeadPeer) {
  EXPECT_EXIT(
      {
        int joined[2];
        int noticed[2];
        require(pipe(joined) == 0 && pipe(noticed) == 0, "no pipe");
        const std::vector<int> statuses = sim_test::as_processes(3, [&](Rank& rank) {
          rank.init();
          const Device<int> data(1000, 1);
          char token = 0;
          ncclResult_t error = ncclSuccess;
          if (rank.rank == 1) {  // not before all others are past their init
            char tokens[2];
            for (char& one : tokens) require(read(joined[0], &one, 1) == 1, "a rank is missing");
            raise(SIGKILL);
          }
          require(write(joined[1], &token, 1) == 1, "cannot tell rank 1");
          if (rank.rank == 2) {
            require(read(noticed[0], &token, 1) == 1, "rank 0 noticed nothing");
            check(ncclCommGetAsyncError(rank.comm, &error));
            require(error == ncclSuccess, "told without having waited");
          }
          all_reduce(rank, rank.comm, data, 1000);
          while (error == ncclSuccess) {
            check(ncclCommGetAsyncError(rank.comm, &error));
            sched_yield();
          }
          require(error == ncclRemoteError, "another error");
          if (rank.rank == 0) require(write(noticed[1], &token, 1) == 1, "cannot tell rank 2");
          check(ncclCommAbort(rank.comm));
        });
        _exit(statuses[0] == 0 && WIFSIGNALED(statuses[1]) && statuses[2] == 0 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(NcclProcess, AProcessMayEndWithAStuckCollective) {
  EXPECT_EXIT(run_processes(2,
                            [](Rank& rank) {
                              rank.init();
                              const Device<int> data(1000, 1);
                              if (rank.rank == 0) all_reduce(rank, rank.comm, data, 1000);
                              std::exit(0);
                            }),
              testing::ExitedWithCode(0), "");
}

// Tries to join by an id whose maker has ended. Returns whether the error says so.
bool orphaned_id_is_refused() {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const pid_t maker = fork();
  ncclUniqueId id{};
  if (maker == 0) {
    check(ncclGetUniqueId(&id));
    _exit(write(ends[1], &id, sizeof id) == sizeof id ? 0 : 9);
  }
  int status = 0;
  waitpid(maker, &status, 0);
  if (read(ends[0], &id, sizeof id) != sizeof id) return false;
  ncclComm_t comm = nullptr;
  return ncclCommInitRank(&comm, 2, id, 1) == ncclSystemError &&
         std::string(ncclGetLastError(comm)).find("is gone") != std::string::npos;
}

TEST_F(NcclProcess, AnIdWhoseMakerIsGoneIsASystemError) {
  EXPECT_EXIT(_exit(orphaned_id_is_refused() ? 0 : 1), testing::ExitedWithCode(0), "");
}

// A rank on another machine gets an id whose maker it cannot see.
bool id_of_another_machine_is_refused() {
  ncclUniqueId id{};
  check(ncclGetUniqueId(&id));
  sim::nccl::SegmentId segment{};
  std::memcpy(&segment, id.internal, sizeof segment);
  ++segment.machine;
  segment.host = {"elsewhere"};
  std::memcpy(id.internal, &segment, sizeof segment);
  ncclComm_t comm = nullptr;
  return ncclCommInitRank(&comm, 2, id, 1) == ncclSystemError &&
         std::string(ncclGetLastError(comm)).find("on another machine (host elsewhere)") !=
             std::string::npos;
}

TEST_F(NcclProcess, AnIdOfAnotherMachineIsASystemErrorAtOnce) {
  EXPECT_EXIT(_exit(id_of_another_machine_is_refused() ? 0 : 1), testing::ExitedWithCode(0), "");
}

// A socket that listens on a port that the system chose.
struct Listener {
  int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string address;

  Listener() {
    sockaddr_in where{};
    where.sin_family = AF_INET;
    where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof where;
    auto* generic = reinterpret_cast<sockaddr*>(&where);
    require(bind(descriptor, generic, length) == 0 && listen(descriptor, 1) == 0 &&
                getsockname(descriptor, generic, &length) == 0,
            "no port");
    address = "127.0.0.1:" + std::to_string(ntohs(where.sin_port));
  }
};

TEST_F(NcclProcess, RanksMeetAtAnAddress) {
  EXPECT_EXIT(
      {
        Listener chosen;
        setenv("NCCL_COMM_ID", chosen.address.c_str(), 1);
        close(chosen.descriptor);
        run_processes(3, [](Rank& rank) {
          check(ncclGetUniqueId(&rank.id));  // the same on all ranks, without telling each other
          for (int round = 0; round < 2; ++round) {
            rank.init();
            const Device<int> data(1, 1);
            all_reduce(rank, rank.comm, data, 1);
            rank.synchronize();
            require(data.read().front() == 3, "wrong sum");
            check(ncclCommDestroy(rank.comm));
          }
        });
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(NcclProcess, AnOccupiedPortIsASystemError) {
  EXPECT_EXIT(
      {
        const Listener occupied;
        setenv("NCCL_COMM_ID", occupied.address.c_str(), 1);
        ncclUniqueId id{};
        check(ncclGetUniqueId(&id));
        ncclComm_t comm = nullptr;
        const bool right = ncclCommInitRank(&comm, 2, id, 0) == ncclSystemError &&
                           std::string(ncclGetLastError(comm)).find("in use") != std::string::npos;
        _exit(right ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
