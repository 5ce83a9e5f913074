// Which calls wait while a stream is held, as an H100 answered (driver 580.159, CUDA 13.0, one
// process, a kernel that spins in the held stream; 26 November 2026). The simulation answers alike,
// except where it says so: CUDA may wait there, and the simulation always does; or no document says
// that CUDA waits.
#include <array>
#include <functional>
#include <ostream>
#include <vector>

#include "tests/sim/cuda/cuda_test.h"

namespace {

using sim_test::check;
using sim_test::Gate;
using sim_test::StreamOwner;
using sim_test::waits_for;

constexpr std::size_t kLarge = std::size_t{8} << 20U;

// What the questions need. It is made before a stream is held.
struct Setting {
  Setting() {
    check(cudaMalloc(&device, kLarge));
    check(cudaMalloc(&device_too, kLarge));
    check(cudaMallocHost(&pinned, kLarge));
    check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  ~Setting() {
    static_cast<void>(cudaHostUnregister(pageable.data()));
    static_cast<void>(cudaFree(device));
    static_cast<void>(cudaFree(device_too));
    static_cast<void>(cudaFreeHost(pinned));
    static_cast<void>(cudaEventDestroy(event));
  }

  StreamOwner non_blocking{cudaStreamNonBlocking};
  StreamOwner blocking;
  StreamOwner idle{cudaStreamNonBlocking};  // never held
  StreamOwner idle_blocking;                // never held
  void* device = nullptr;
  void* device_too = nullptr;
  void* pinned = nullptr;
  std::vector<char> pageable = std::vector<char>(kLarge);
  std::vector<char> pageable_too = std::vector<char>(kLarge);
  void* made = nullptr;  // by a question's preparation
  cudaEvent_t event = nullptr;
};

void sync(cudaStream_t stream) { check(cudaStreamSynchronize(stream)); }

// "wr-": whether the call waits (w) or returns (r) while a non-blocking, a blocking and the legacy
// stream is held.
struct Question {
  const char* call;
  const char* h100;
  std::function<void(Setting&)> ask;
  std::function<void(Setting&)> prepare = {};
  const char* here = nullptr;  // if the simulation answers otherwise
};
void PrintTo(const Question& question, std::ostream* out) { *out << question.call; }

const std::vector<Question>& questions() {
  static const std::vector<Question> all = {
      {"cudaDeviceSynchronize", "www", [](Setting&) { check(cudaDeviceSynchronize()); }},
      {"sync of an idle stream", "rrr", [](Setting& with) { sync(with.idle); }},
      {"sync of an idle blocking stream", "rrr", [](Setting& with) { sync(with.idle_blocking); }},
      {"sync of the legacy stream", "rww", [](Setting&) { sync(cudaStreamLegacy); }},
      {"sync of the idle per-thread stream", "rrr", [](Setting&) { sync(cudaStreamPerThread); }},
      {"launch in a blocking stream, sync", "rrw",
       [](Setting& with) {
         check(sim::launch(with.idle_blocking, [] {}));
         sync(with.idle_blocking);
       }},
      {"launch in another stream, sync", "rrr",
       [](Setting& with) {
         check(sim::launch(with.idle, [] {}));
         sync(with.idle);
       }},
      {"cudaMemsetAsync in a blocking stream, sync", "rrw",
       [](Setting& with) {
         check(cudaMemsetAsync(with.device, 0, 64, with.idle_blocking));
         sync(with.idle_blocking);
       }},
      {"cudaMallocAsync in a blocking stream, sync",
       "rrw",
       [](Setting& with) {
         check(cudaMallocAsync(&with.made, 1024, with.idle_blocking));
         sync(with.idle_blocking);
       },
       {},
       "rrr"},
      {"record in a blocking stream, stream sync", "rrw",
       [](Setting& with) {
         check(cudaEventRecord(with.event, with.idle_blocking));
         sync(with.idle_blocking);
       }},
      {"cudaLaunchHostFunc in a blocking stream, sync", "rrw",
       [](Setting& with) {
         check(cudaLaunchHostFunc(
             with.idle_blocking, [](void*) {}, nullptr));
         sync(with.idle_blocking);
       }},
      {"record in a blocking stream, event sync", "rrw",
       [](Setting& with) {
         check(cudaEventRecord(with.event, with.idle_blocking));
         check(cudaEventSynchronize(with.event));
       }},
      {"wait for a done event in a blocking stream, sync", "rrr",
       [](Setting& with) {
         check(cudaStreamWaitEvent(with.idle_blocking, with.event));
         sync(with.idle_blocking);
       }},
      {"cudaMalloc", "rrr", [](Setting& with) { check(cudaMalloc(&with.made, 1024)); }, {}, "www"},
      {"cudaMallocHost",
       "rrr",
       [](Setting& with) { check(cudaMallocHost(&with.made, kLarge)); },
       {},
       "www"},
      {"cudaFree", "www", [](Setting& with) { check(cudaFree(with.made)); },
       [](Setting& with) { check(cudaMalloc(&with.made, 1024)); }},
      {"cudaFree of nothing", "rrr", [](Setting&) { check(cudaFree(nullptr)); }},
      {"cudaFree of stream-ordered memory", "rrr",
       [](Setting& with) { check(cudaFree(with.made)); },
       [](Setting& with) { check(cudaMallocAsync(&with.made, 1024, with.idle)); }, "www"},
      {"cudaFreeHost", "www", [](Setting& with) { check(cudaFreeHost(with.made)); },
       [](Setting& with) { check(cudaMallocHost(&with.made, 1024)); }},
      {"cudaHostRegister", "rrr",
       [](Setting& with) { check(cudaHostRegister(with.pageable.data(), 4096, 0)); }},
      {"cudaHostUnregister", "www",
       [](Setting& with) { check(cudaHostUnregister(with.pageable.data())); },
       [](Setting& with) { check(cudaHostRegister(with.pageable.data(), 4096, 0)); }, "rrr"},
      {"cudaMallocAsync and cudaFreeAsync", "rrr",
       [](Setting& with) {
         check(cudaMallocAsync(&with.made, 1024, with.idle));
         check(cudaFreeAsync(with.made, with.idle));
       }},
      {"cudaMemcpy from pageable memory", "rww",
       [](Setting& with) {
         check(cudaMemcpy(with.device, with.pageable.data(), 16, cudaMemcpyHostToDevice));
       }},
      {"cudaMemcpy from pinned memory", "rww",
       [](Setting& with) {
         check(cudaMemcpy(with.device, with.pinned, 16, cudaMemcpyHostToDevice));
       }},
      {"cudaMemcpy to pageable memory", "rww",
       [](Setting& with) {
         check(cudaMemcpy(with.pageable.data(), with.device, 16, cudaMemcpyDeviceToHost));
       }},
      {"cudaMemcpy on the device", "rrr",
       [](Setting& with) {
         check(cudaMemcpy(with.device_too, with.device, kLarge, cudaMemcpyDeviceToDevice));
       }},
      {"cudaMemcpy on the host", "rww",
       [](Setting& with) {
         check(
             cudaMemcpy(with.pageable_too.data(), with.pageable.data(), 64, cudaMemcpyHostToHost));
       }},
      {"cudaMemset on the device", "rrr",
       [](Setting& with) { check(cudaMemset(with.device, 0, kLarge)); }},
      {"cudaMemset of pinned memory", "rww",
       [](Setting& with) { check(cudaMemset(with.pinned, 0, 4096)); }},
      {"cudaMemcpyAsync in the non-blocking stream, pageable, 64 KiB to the device", "rrr",
       [](Setting& with) {
         check(cudaMemcpyAsync(with.device, with.pageable.data(), std::size_t{64} << 10U,
                               cudaMemcpyHostToDevice, with.non_blocking));
       }},
      {"cudaMemcpyAsync in the non-blocking stream, pageable, 1 MiB to the device",
       "rrr",
       [](Setting& with) {
         check(cudaMemcpyAsync(with.device, with.pageable.data(), std::size_t{1} << 20U,
                               cudaMemcpyHostToDevice, with.non_blocking));
       },
       {},
       "wrr"},
      {"cudaMemcpyAsync in the non-blocking stream, pageable, 8 MiB to the device", "wrr",
       [](Setting& with) {
         check(cudaMemcpyAsync(with.device, with.pageable.data(), kLarge, cudaMemcpyHostToDevice,
                               with.non_blocking));
       }},
      {"cudaMemcpyAsync in the non-blocking stream, to pageable memory", "wrr",
       [](Setting& with) {
         check(cudaMemcpyAsync(with.pageable.data(), with.device, 64, cudaMemcpyDeviceToHost,
                               with.non_blocking));
       }},
      {"cudaMemcpyAsync in the non-blocking stream, from pinned memory", "rrr",
       [](Setting& with) {
         check(cudaMemcpyAsync(with.device, with.pinned, kLarge, cudaMemcpyHostToDevice,
                               with.non_blocking));
       }},
      {"cudaMemcpyAsync in the non-blocking stream, on the host", "wrr",
       [](Setting& with) {
         check(cudaMemcpyAsync(with.pageable_too.data(), with.pageable.data(), 64,
                               cudaMemcpyHostToHost, with.non_blocking));
       }},
      {"cudaStreamCreate", "rrr", [](Setting&) { const StreamOwner stream; }},
      {"cudaStreamDestroy of an idle stream", "rrr",
       [](Setting& with) { check(cudaStreamDestroy(static_cast<cudaStream_t>(with.made))); },
       [](Setting& with) {
         cudaStream_t stream = nullptr;
         check(cudaStreamCreate(&stream));
         with.made = stream;
       }},
      {"record in another stream, and destroy", "rrr",
       [](Setting& with) {
         cudaEvent_t event = nullptr;
         check(cudaEventCreate(&event));
         check(cudaEventRecord(event, with.idle));
         check(cudaEventDestroy(event));
       }},
      {"record in the non-blocking stream, and destroy", "rrr",
       [](Setting& with) {
         cudaEvent_t event = nullptr;
         check(cudaEventCreate(&event));
         check(cudaEventRecord(event, with.non_blocking));
         check(cudaEventDestroy(event));
       }},
  };
  return all;
}

class WhichCallsWait : public testing::TestWithParam<Question> {
 protected:
  void SetUp() override { check(cudaSetDevice(0)); }

  // Whether the call answers as `answer` says while `stream` is held.
  static testing::AssertionResult answers(char answer, Setting& with, cudaStream_t stream) {
    const Question& question = GetParam();
    check(cudaDeviceSynchronize());
    if (question.prepare) question.prepare(with);
    check(cudaDeviceSynchronize());
    Gate gate;
    gate.hold(stream);
    if (answer == 'w') return waits_for(gate, [&] { question.ask(with); });
    question.ask(with);  // returns while the gate is closed
    return testing::AssertionSuccess();
  }
};

TEST_P(WhichCallsWait, AsOnAGpu) {
  const char* expected = GetParam().here == nullptr ? GetParam().h100 : GetParam().here;
  for (std::size_t held = 0; held < 3; ++held) {
    Setting with;
    const std::array<cudaStream_t, 3> streams{with.non_blocking, with.blocking, cudaStreamLegacy};
    EXPECT_TRUE(answers(expected[held], with, streams.at(held))) << GetParam().call << held;
    check(cudaDeviceSynchronize());
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, WhichCallsWait, testing::ValuesIn(questions()));

}  // namespace
