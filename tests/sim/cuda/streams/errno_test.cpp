// CUDA's and NCCL's calls wait inside, and errno is the program's.
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

#include "sim/cuda/streams/futex.h"
#include "sim/nccl/members/bell.h"

namespace sim {
namespace {

constexpr int kOfProgram = 4711;

TEST(Errno, IsLeftByAWaitThatNeedNotSleep) {
  std::atomic<std::uint32_t> word = 1;
  errno = kOfProgram;
  futex_wait(word, 0);
  EXPECT_EQ(errno, kOfProgram);
}

TEST(Errno, IsLeftByASleepThatIsOver) {
  std::atomic<std::uint32_t> word = 1;
  errno = kOfProgram;
  nccl::sleep_on(word, 1, nccl::Milliseconds(1));
  EXPECT_EQ(errno, kOfProgram);
}

}  // namespace
}  // namespace sim
