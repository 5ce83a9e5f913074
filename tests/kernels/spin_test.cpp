// The spin holds up its stream until the flag is set, and ends by itself if the flag is never set.
#include "kernels/spin.h"

#include "tests/kernels/kernel_test.h"

namespace gridlock::kernels {
namespace {

class Spin : public test::KernelTest {
 protected:
  void SetUp() override {
    KernelTest::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(cudaStreamCreateWithFlags(&other_stream, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&flags), 2 * sizeof(int), cudaHostAllocMapped),
              cudaSuccess);
    flags[0] = 0;
    flags[1] = 0;
  }
  void TearDown() override {
    if (flags != nullptr) {
      set(0);
      set(1);
    }
    if (other_stream != nullptr) {
      EXPECT_EQ(cudaStreamDestroy(other_stream), cudaSuccess);
    }
    KernelTest::TearDown();
    cudaFreeHost(flags);
  }

  void set(int index) { __atomic_store_n(flags + index, 1, __ATOMIC_RELEASE); }

  cudaStream_t other_stream = nullptr;
  int* flags = nullptr;
};

// The other spin has half the bound. If the first one ends while the other still spins, it ended by
// its flag and not by its bound. A busy machine may delay this thread for longer than that, so the
// test tries again.
TEST_F(Spin, HoldsItsStreamUntilItsFlagIsSet) {
  constexpr int kTries = 20;
  bool proven = false;
  for (int i = 0; i < kTries && !proven; ++i) {
    flags[0] = 0;
    flags[1] = 0;
    ASSERT_EQ(launch_spin(kSpinLimitNanoseconds / 2, flags + 1, other_stream), cudaSuccess);
    ASSERT_EQ(launch_spin(kSpinLimitNanoseconds, flags, stream), cudaSuccess);
    const bool held = cudaStreamQuery(stream) == cudaErrorNotReady;
    set(0);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    proven = held && cudaStreamQuery(other_stream) == cudaErrorNotReady;
    set(1);
    EXPECT_EQ(cudaStreamSynchronize(other_stream), cudaSuccess);
  }
  EXPECT_TRUE(proven);
}

// The query before leaves an error that is none (cudaErrorNotReady); a launch must not report it.
TEST_F(Spin, ALaunchAfterAQueryIsAccepted) {
  ASSERT_EQ(launch_spin(kSpinLimitNanoseconds, flags, stream), cudaSuccess);
  static_cast<void>(cudaStreamQuery(stream));
  EXPECT_EQ(launch_spin(1000, nullptr, stream), cudaSuccess);
  set(0);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
}

TEST_F(Spin, EndsByItselfWhenTheFlagIsNeverSet) {
  ASSERT_EQ(launch_spin(2'000'000, flags, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(__atomic_load_n(flags, __ATOMIC_ACQUIRE), 0);
}

TEST_F(Spin, NeedsNoFlag) {
  ASSERT_EQ(launch_spin(1000, nullptr, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
}

}  // namespace
}  // namespace gridlock::kernels
