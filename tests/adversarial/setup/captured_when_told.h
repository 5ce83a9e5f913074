// A host function tells another thread that its stream is free, and that thread captures a stream.
// A captured step has one node. Often.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdio>
#include <thread>

#include "tests/adversarial/setup/helper.h"

inline void capture_when_told(cudaStream_t tells, cudaStream_t captured_one, void* memory) {
  constexpr int kRounds = 2000;
  static std::atomic<int> told = 0;
  std::atomic<int> captured = 0;
  std::atomic<int> wrong = 0;
  std::thread captures([&] {
    check(cudaSetDevice(number_from("LOCAL_RANK")));
    for (int i = 1; i <= kRounds; ++i) {
      while (told < i) sched_yield();
      cudaGraph_t graph = nullptr;
      check(cudaStreamBeginCapture(captured_one, cudaStreamCaptureModeRelaxed));
      check(cudaMemsetAsync(memory, 0, 4, captured_one));
      sched_yield();
      check(cudaStreamEndCapture(captured_one, &graph));
      std::size_t nodes = 0;
      check(cudaGraphGetNodes(graph, nullptr, &nodes));
      if (nodes != 1) ++wrong;
      check(cudaGraphDestroy(graph));
      captured = i;
    }
  });
  for (int i = 1; i <= kRounds; ++i) {
    check(cudaLaunchHostFunc(
        tells, [](void*) { ++told; }, nullptr));
    while (captured < i) sched_yield();
  }
  captures.join();
  if (wrong == 0) return;
  std::fprintf(stderr, "%d of %d graphs have more nodes than were captured\n", wrong.load(),
               kRounds);
  std::_Exit(6);
}
