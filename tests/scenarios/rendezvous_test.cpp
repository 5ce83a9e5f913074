// The star of sockets: exchange, signals, and its messages when a rank does not come.
#include "scenarios/runtime/rendezvous.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/scenarios/ranks.h"

namespace gridlock {
namespace {

using testing::environment;
using testing::free_port;
using testing::run_threads;

TEST(Rendezvous, GivesEveryoneEveryonesMessage) {
  const int port = free_port();
  run_threads(5, [port](int rank) {
    Rendezvous rendezvous(environment(rank, 5, port));
    for (int round = 0; round < 3; ++round) {
      const std::string mine(static_cast<std::size_t>(rank * 1000), static_cast<char>('a' + rank));
      const auto all = rendezvous.exchange(mine);
      ASSERT_EQ(all.size(), 5U);
      for (std::size_t other = 0; other < 5; ++other) {
        EXPECT_EQ(all[other], std::string(other * 1000, static_cast<char>('a' + other)));
      }
    }
  });
}

TEST(Rendezvous, PassesSignals) {
  const int port = free_port();
  int order = 0;
  run_threads(2, [&](int rank) {
    Rendezvous rendezvous(environment(rank, 2, port));
    if (rank == 0) {
      order = 1;
      rendezvous.signal(1);
    } else {
      rendezvous.await_signal(0);
      EXPECT_EQ(order, 1);
    }
  });
}

TEST(Rendezvous, OneRankNeedsNoSocket) {
  Rendezvous rendezvous(environment(0, 1, 1));
  EXPECT_EQ(rendezvous.exchange("me"), std::vector<std::string>{"me"});
}

std::string complaint(const Environment& who) {
  try {
    const Rendezvous rendezvous(who, std::chrono::milliseconds(50));
    return "";
  } catch (const RendezvousError& error) {
    return error.what();
  }
}

TEST(Rendezvous, SaysHowManyDidNotCome) {
  const std::string sentence = complaint(environment(0, 3, free_port()));
  EXPECT_NE(sentence.find("2 of 3 ranks did not come"), std::string::npos) << sentence;
}

TEST(Rendezvous, SaysThatNobodyListens) {
  const std::string sentence = complaint(environment(1, 2, free_port()));
  EXPECT_NE(sentence.find("found no rank 0 at MASTER_ADDR:MASTER_PORT"), std::string::npos)
      << sentence;
}

TEST(Rendezvous, SaysThatThePortIsTaken) {
  const int port = free_port();
  const int taken = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  ASSERT_EQ(bind(taken, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(taken, 1), 0);
  const std::string sentence = complaint(environment(0, 2, port));
  EXPECT_NE(sentence.find("Choose another MASTER_PORT"), std::string::npos) << sentence;
  EXPECT_THROW(Rendezvous(environment(0, 2, port)), PortTaken);
  close(taken);
}

TEST(Rendezvous, SaysThatAPeerHasLeft) {
  const int port = free_port();
  run_threads(2, [port](int rank) {
    Rendezvous rendezvous(environment(rank, 2, port));
    if (rank == 1) return;  // closes its socket
    EXPECT_THROW(rendezvous.exchange("anyone?"), RendezvousError);
  });
}

TEST(Rendezvous, GivesEveryoneEveryonesNumber) {
  const int port = free_port();
  run_threads(4, [port](int rank) {
    Rendezvous rendezvous(environment(rank, 4, port));
    EXPECT_EQ(rendezvous.exchange(10 - rank), (std::vector{10, 9, 8, 7}));
  });
}

TEST(Rendezvous, KnowsTheSurvivors) {
  const int port = free_port();
  run_threads(4, [port](int rank) {
    Rendezvous rendezvous(environment(rank, 4, port));
    if (rank == 2) return;  // closes its socket
    EXPECT_EQ(rendezvous.survivors(), (std::vector{0, 1, 3}));
    const std::string mine = "from " + std::to_string(rank);
    EXPECT_EQ(rendezvous.from_rank_0({0, 1, 3}, mine), "from 0");
  });
}

TEST(Rendezvous, SeesThatSomebodyHasLeft) {
  const int port = free_port();
  run_threads(2, [port](int rank) {
    Rendezvous rendezvous(environment(rank, 2, port));
    rendezvous.exchange("all are there");
    if (rank == 1) {
      EXPECT_FALSE(rendezvous.anyone_has_left());
      rendezvous.signal(0);
      return;
    }
    rendezvous.await_signal(1);
    rendezvous.await_end(1);
    EXPECT_TRUE(rendezvous.anyone_has_left());
  });
}

// Rank 1 has no socket to rank 2, whose end only rank 0 sees.
TEST(Rendezvous, RankZeroTellsTheOthersWhoHasLeft) {
  const int port = free_port();
  run_threads(3, [port](int rank) {
    Rendezvous rendezvous(environment(rank, 3, port));
    if (rank == 2) return;
    while (!rendezvous.anyone_has_left()) std::this_thread::yield();
    EXPECT_EQ(rendezvous.survivors(), (std::vector{0, 1}));  // the messages are not disturbed
  });
}

// Over a network, NCCL may tell rank 0 of a loss that nobody tells rank 1 of.
TEST(Rendezvous, SurvivorsTellsThoseThatHaveNotAsked) {
  const int port = free_port();
  run_threads(3, [port](int rank) {
    Rendezvous rendezvous(environment(rank, 3, port), std::chrono::seconds(5));
    if (rank == 2) return;
    if (rank == 1) {
      while (!rendezvous.anyone_has_left()) std::this_thread::yield();
    }
    EXPECT_EQ(rendezvous.survivors(), (std::vector{0, 1}));
  });
}

// As if the link to rank 2 were down: its socket stays open, and it says nothing.
TEST(Rendezvous, WhoSaysNothingIsLostAfterAWhile) {
  const int port = free_port();
  run_threads(3, [port](int rank) {
    Rendezvous rendezvous(environment(rank, 3, port));
    if (rank == 2) return rendezvous.await_end(0);
    EXPECT_EQ(rendezvous.survivors_within(std::chrono::milliseconds(50)), (std::vector{0, 1}));
    EXPECT_EQ(rendezvous.from_rank_0({0, 1}, "go on"), "go on");
  });
}

TEST(Rendezvous, WhoHearsNothingFromRankZeroFails) {
  const int port = free_port();
  run_threads(2, [port](int rank) {
    Rendezvous rendezvous(environment(rank, 2, port));
    if (rank == 0) return rendezvous.await_end(1);
    EXPECT_THROW(rendezvous.survivors_within(std::chrono::milliseconds(20)), RendezvousError);
  });
}

}  // namespace
}  // namespace gridlock
