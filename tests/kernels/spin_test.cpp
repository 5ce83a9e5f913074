// The spin holds its stream until the flag is set, and lets go by itself when nobody sets it.
#include "kernels/spin.h"

#include "tests/kernels/kernel_test.h"

namespace gridlock::kernels {
namespace {

class Spin : public test::KernelTest {
 protected:
  void SetUp() override {
    KernelTest::SetUp();
    if (IsSkipped()) return;
    ASSERT_EQ(cudaHostAlloc(reinterpret_cast<void**>(&flag), sizeof(int), cudaHostAllocMapped),
              cudaSuccess);
    __atomic_store_n(flag, 0, __ATOMIC_RELEASE);
  }
  void TearDown() override {
    KernelTest::TearDown();
    cudaFreeHost(flag);
  }

  int* flag = nullptr;
};

TEST_F(Spin, HoldsTheStreamUntilTheFlagIsSet) {
  ASSERT_EQ(launch_spin(kSpinLimitNanoseconds, flag, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
}

TEST_F(Spin, EndsByItselfWhenTheFlagIsNeverSet) {
  ASSERT_EQ(launch_spin(2'000'000, flag, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(__atomic_load_n(flag, __ATOMIC_ACQUIRE), 0);
}

TEST_F(Spin, NeedsNoFlag) {
  ASSERT_EQ(launch_spin(1000, nullptr, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
}

}  // namespace
}  // namespace gridlock::kernels
