// The order in which operations of several communicators begin on a device, and how many fit there.
// Each test runs in a fresh process, because the settings are read once.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <memory>

#include "tests/sim/cuda/cuda_test.h"
#include "tests/sim/nccl/ranks.h"

namespace {

using sim_test::Device;
using sim_test::Gate;

struct NcclLaunch : testing::Test {
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// A rank of a communicator with its own stream and number. Make it before any gate is closed,
// because its allocation would wait for the device.
struct Member {
  Member(ncclComm_t of, int on) : communicator(of), device(on) {
    sim_test::check_cuda(cudaSetDevice(device));
    sim_test::check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    number = std::make_unique<Device<int>>(1, 1);
  }
  void all_reduce() const {
    sim_test::check_cuda(cudaSetDevice(device));
    sim_test::check(
        ncclAllReduce(number->data(), number->data(), 1, ncclInt, ncclSum, communicator, stream));
  }
  void hold_by(Gate& gate) const {
    sim_test::check_cuda(cudaSetDevice(device));
    gate.hold(stream);
  }

  ncclComm_t communicator;
  int device;
  cudaStream_t stream = nullptr;
  std::unique_ptr<Device<int>> number;
};

// A communicator of device 0, where it meets the others, and a device that only it uses.
class Pair {
 public:
  explicit Pair(int other_device) : Pair(join(other_device), other_device) {}
  void all_reduce() const {
    near.all_reduce();
    far.all_reduce();
  }
  void synchronize() const { sim_test::check_cuda(cudaStreamSynchronize(near.stream)); }
  void abort() const {
    sim_test::check(ncclCommAbort(near.communicator));
    sim_test::check(ncclCommAbort(far.communicator));
  }

  Member near;
  Member far;

 private:
  using Ranks = std::array<ncclComm_t, 2>;
  static Ranks join(int other_device) {
    const std::array<int, 2> devices = {0, other_device};
    Ranks ranks{};
    sim_test::check(ncclCommInitAll(ranks.data(), 2, devices.data()));
    return ranks;
  }
  Pair(Ranks ranks, int other_device) : near(ranks[0], 0), far(ranks[1], other_device) {}
};

using Ask = bool (*)(Gate& closed, const Pair& second);

bool waits(Gate& closed, const Pair& second) {
  return sim_test::waits_for(closed, [&] { second.synchronize(); });
}

// Hangs if it waits for the gate; then the alarm ends it.
bool does_not_wait(Gate&, const Pair& second) {
  alarm(60);
  second.synchronize();
  return true;
}

bool does_not_wait_once_aborted(Gate& closed, const Pair& second) {
  second.abort();
  return does_not_wait(closed, second);
}

// On device 0, the first operation is behind a closed gate; the second is behind nothing.
bool first_has_not_begun(Ask ask) {
  Gate gate;
  const Pair first(1);
  const Pair second(2);
  first.near.hold_by(gate);
  first.all_reduce();
  second.all_reduce();
  return ask(gate, second);
}

// The first operation has begun. It waits for its other rank, which is behind a closed gate.
bool first_has_begun(Ask ask) {
  Gate gate;
  const Pair first(1);
  const Pair second(2);
  first.far.hold_by(gate);
  first.all_reduce();
  second.all_reduce();
  return ask(gate, second);
}

void expect(bool (*where)(Ask), Ask second, const char* host_order, const char* room) {
  EXPECT_EXIT(
      {
        setenv("NCCL_LAUNCH_ORDER_IMPLICIT", host_order, 1);
        setenv("GRIDLOCK_SIM_ROOM", room, 1);
        _exit(where(second) ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(NcclLaunch, StreamsBeginIndependently) {
  expect(first_has_not_begun, does_not_wait, "0", "");
}

TEST_F(NcclLaunch, TheHostsOrderIsTheOrderOfBeginning) {
  expect(first_has_not_begun, waits, "1", "");
}

TEST_F(NcclLaunch, TheHostsOrderIsNotAnOrderOfEnding) {
  expect(first_has_begun, does_not_wait, "1", "");
}

TEST_F(NcclLaunch, WithoutRoomTheSecondWaitsForTheFirstToEnd) {
  expect(first_has_begun, waits, "1", "1");
  expect(first_has_begun, does_not_wait, "1", "2");
}

TEST_F(NcclLaunch, AnAbortEndsTheWaitForThePlace) {
  expect(first_has_not_begun, does_not_wait_once_aborted, "1", "");
}

}  // namespace
