// A host function on a blocking stream tells another thread, which then closes a gate on the legacy
// stream. The main thread waits for the blocking stream, and opens the gate. Often.
// Naive view: a mark behind the host function is put on the stream in time. If the other thread is
// quicker, the mark waits for the gate, and the main thread for the mark.
// Expected: completes.
#include <sched.h>

#include <atomic>
#include <thread>

#include "tests/adversarial/setup/helper.h"
#include "tests/adversarial/setup/word_gate.h"

constinit const Trial trial{.expect = completes()};

int program(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 2000;
  const Training training;
  training.step();
  if (rank() == 0) {
    const WordGate gate;
    const cudaStream_t blocking = make_stream(cudaStreamDefault);
    static std::atomic<std::uint32_t> told = 0;
    std::atomic<std::uint32_t> passed = 0;
    std::thread gatekeeper([&] {
      check(cudaSetDevice(number_from("LOCAL_RANK")));
      for (std::uint32_t i = 1; i <= static_cast<std::uint32_t>(rounds); ++i) {
        while (told < i) sched_yield();
        gate.close(nullptr, i);
        check(cudaStreamSynchronize(nullptr));
        passed = i;
      }
    });
    for (std::uint32_t i = 1; i <= static_cast<std::uint32_t>(rounds); ++i) {
      check(cudaLaunchHostFunc(
          blocking, [](void*) { ++told; }, nullptr));
      check(cudaStreamSynchronize(blocking));
      gate.open(i);
      while (passed < i) sched_yield();
    }
    gatekeeper.join();
  }
  training.step();
  return 0;
}
