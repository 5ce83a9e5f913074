// Kernels that wait: what that costs, how soon they go on, and what they report meanwhile.
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/sim/ptx/run.h"

namespace sim::ptx {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// As many warps as NCCL has on four channels, each with a loop as long as one of NCCL's.
std::string many_that_spin() {
  std::string lines = "wait: ld.volatile.global.u64 %rd6, [%rd1];";
  for (int n = 0; n < 40; ++n) lines += " add.u64 %rd7, %rd6, %rd7;";
  return kernel_of(lines + "\n.loc 1 77 3\n setp.eq.u64 %p2, %rd6, 0; @%p2 bra wait;",
                   ".file 1 \"wait.cu\"\n");
}

struct Running {
  Running(const std::string& text, unsigned blocks, unsigned threads, std::uint64_t* data)
      : module{"waiting", text}, program({&module, 1}), parameters{data, nullptr} {
    memory.add(data, 64);
    launch.kernel = program.kernel("k");
    launch.grid[0] = blocks;
    launch.block[0] = threads;
    launch.parameters = {reinterpret_cast<const std::byte*>(parameters), sizeof parameters};
    execution = std::make_unique<Execution>(program, memory, launch);
  }
  ModuleText module;
  Program program;
  const void* parameters[2];
  Memory memory;
  Launch launch;
  std::unique_ptr<Execution> execution;
};

TEST(PtxWaiting, ManyWarpsThatSpinCostATwentiethOfACore) {
  alignas(64) std::uint64_t flag[8] = {};
  Running running(many_that_spin(), 4, 640, flag);
  double used = 0;
  double waited = 0;
  std::jthread runner([&](const std::stop_token& stop) {
    std::jthread timer([&] {
      std::this_thread::sleep_for(2s);  // in which pauses grow
      const std::vector<Position> positions = running.execution->positions();
      EXPECT_EQ(positions.size(), 80U);
      for (const Position& position : positions) {
        EXPECT_EQ(position.state, Position::State::kSpinning);
        EXPECT_EQ(position.function, "k");
      }
      EXPECT_TRUE(std::any_of(positions.begin(), positions.end(), [](const Position& position) {
        return position.source == "wait.cu:77" || position.line > 0;
      }));
      std::this_thread::sleep_for(2s);
      __atomic_store_n(&flag[0], 1, __ATOMIC_RELEASE);
    });
    const auto begin = Clock::now();
    const double before = processor_seconds();
    EXPECT_EQ(running.execution->run(stop).kind, Outcome::Kind::kCompleted);
    used = processor_seconds() - before;
    waited = seconds_since(begin);
  });
  runner.join();
  EXPECT_LT(used, 0.05 * waited);
}

constexpr int kRounds = 100;

// Seconds per round of two threads that pass a number back and forth, as fast as this machine can
// do it now.
double plain_round() {
  std::atomic<int> number{0};
  const auto side = [&](int mine) {
    for (int n = mine; n < 2 * kRounds; n += 2) {
      while (number.load() != n) std::this_thread::yield();
      number.store(n + 1);
    }
  };
  const auto begin = Clock::now();
  std::jthread other([&] { side(1); });
  side(0);
  other.join();
  return seconds_since(begin) / kRounds;
}

double round_of_launches() {
  const auto side = [](const std::string& mine, const std::string& theirs, const char* answer) {
    return kernel_of("mov.u64 %rd7, 0;\nround: ld.volatile.global.u64 %rd6, [%rd1+" + mine +
                     "]; setp.le.u64 %p1, %rd6, %rd7; @%p1 bra round; add.u64 %rd7, %rd7, 1; "
                     "add.u64 %rd8, %rd7, " +
                     answer + "; st.volatile.global.u64 [%rd1+" + theirs +
                     "], %rd8; setp.lt.u64 %p2, %rd7, " + std::to_string(kRounds) +
                     "; @%p2 bra round;");
  };
  alignas(64) std::uint64_t flags[8] = {1};  // the first one's turn
  Running first(side("0", "8", "0"), 1, 1, flags);
  Running second(side("8", "0", "1"), 1, 1, flags);
  const auto begin = Clock::now();
  std::jthread other([&] { second.execution->run({}); });
  first.execution->run({});
  other.join();
  return seconds_since(begin) / kRounds;
}

// A launch whose partner answers at once must not sleep long, because NCCL's ranks pass data on
// many times in one call. The best of several attempts counts, because a busy machine adds its own
// pauses.
TEST(PtxWaiting, TwoLaunchesThatWaitForEachOtherAreQuick) {
  double best = 1e9;
  double plain = 0;
  const auto bound = [](double of_threads) { return 10 * of_threads + 0.004; };
  for (int attempt = 0; attempt < 30 && best > bound(plain); ++attempt) {
    plain = std::max(plain, plain_round());
    best = std::min(best, round_of_launches());
  }
  EXPECT_LE(best, bound(plain)) << "seconds a round; plain threads: " << plain;
}

// A query or a stop of a launch does not wait for its pause to end.
TEST(PtxWaiting, PausesAreCutShort) {
  alignas(64) std::uint64_t flag[8] = {};
  Running running(many_that_spin(), 4, 640, flag);
  std::jthread runner([&](const std::stop_token& stop) { running.execution->run(stop); });
  std::this_thread::sleep_for(1s);
  double best = 1e9;
  for (int n = 0; n < 50; ++n) {
    const auto begin = Clock::now();
    running.execution->positions();
    best = std::min(best, seconds_since(begin));
  }
  EXPECT_LT(best, 0.02);
  runner.request_stop();
  runner.join();
}

TEST(PtxWaiting, ManyMayAskAtOnce) {
  alignas(64) std::uint64_t flag[8] = {};
  Running running(many_that_spin(), 1, 64, flag);
  std::jthread runner([&](const std::stop_token& stop) { running.execution->run(stop); });
  {
    std::vector<std::jthread> askers;
    askers.reserve(4);
    for (int n = 0; n < 4; ++n) {
      askers.emplace_back([&] {
        for (int k = 0; k < 200; ++k) {
          const auto positions = running.execution->positions();
          EXPECT_TRUE(positions.empty() || positions.size() == 2U);
        }
      });
    }
  }
  __atomic_store_n(&flag[0], 1, __ATOMIC_RELEASE);
  runner.join();
  EXPECT_TRUE(running.execution->positions().empty());
}

}  // namespace
}  // namespace sim::ptx
